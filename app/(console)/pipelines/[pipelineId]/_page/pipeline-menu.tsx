"use client";
import { Archive, ArchiveRestore, Ellipsis, TextCursorInput, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { IconButton } from "@/app/_ui/icon-button";
import { Menu } from "@/app/_ui/menu";
import { ArchiveDialog, DeleteDialog } from "./end-dialogs";
import { RenameDialog } from "./rename-dialog";
import type { PipelineProps } from "./tabs";

type Asking = "rename" | "archive" | "delete" | null;

/** What is seldom done, and asks before it is done. */
export function PipelineMenu({ projectId, pipeline }: Pick<PipelineProps, "projectId" | "pipeline">) {
  const t = useTranslations("pipeline.menu");
  const ui = useTranslations("ui");
  const [asking, setAsking] = useState<Asking>(null);
  const props = { projectId, pipeline, onClose: () => setAsking(null) };
  const git = pipeline.managedBy === "git" ? t("fromGit") : undefined;
  return (
    <>
      <Menu
        trigger={<IconButton look="plain" label={ui("more")} icon={<Ellipsis size={15} aria-hidden="true" />} />}
        items={[
          {
            key: "rename",
            label: t("rename"),
            icon: <TextCursorInput size={14} aria-hidden="true" />,
            disabledBecause: git,
            onSelect: () => setAsking("rename"),
          },
          {
            key: "archive",
            label: t(pipeline.archivedAt ? "unarchive" : "archive"),
            hint: t(pipeline.archivedAt ? "unarchiveHint" : "archiveHint"),
            icon: pipeline.archivedAt ? <ArchiveRestore size={14} aria-hidden="true" /> : <Archive size={14} aria-hidden="true" />,
            onSelect: () => setAsking("archive"),
          },
          { key: "line", kind: "line" },
          {
            key: "delete",
            label: t("delete"),
            hint: t("deleteHint"),
            tone: "danger",
            icon: <Trash2 size={14} aria-hidden="true" />,
            onSelect: () => setAsking("delete"),
          },
        ]}
      />
      {asking === "rename" ? <RenameDialog {...props} /> : null}
      {asking === "archive" ? <ArchiveDialog {...props} /> : null}
      {asking === "delete" ? <DeleteDialog {...props} /> : null}
    </>
  );
}
