"use client";
import { ChevronsUpDown } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { buttonLook } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { OptionList } from "@/app/_ui/option-list";
import { Popover } from "@/app/_ui/popover";
import type { FrameProject } from "./frame-data";

interface ProjectSwitcherProps {
  project: FrameProject | null;
  projects: readonly FrameProject[];
  onProject: (name: string) => void;
}

export function ProjectSwitcher({ project, projects, onProject }: ProjectSwitcherProps) {
  const t = useTranslations("frame.project");
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const title = project?.title ?? t("none");
  const trigger = (
    <button
      type="button"
      aria-label={`${t("label")}: ${title}`}
      className={cn(buttonLook({ look: "quiet" }), "min-w-0 shrink gap-1.5 px-2 text-ink")}
    >
      <span className="max-w-48 truncate max-sm:max-w-28">{title}</span>
      <ChevronsUpDown size={13} aria-hidden="true" className="text-ink-3" />
    </button>
  );
  return (
    <Popover label={t("label")} open={open} onOpen={setOpen} className="w-64 p-0" trigger={trigger}>
      {projects.length === 0 ? (
        <p className="px-3 py-3 text-ink-2 text-table">{t("missing")}</p>
      ) : (
        <OptionList
          label={t("label")}
          placeholder={t("search")}
          query={query}
          onQuery={setQuery}
          listClassName="max-h-72"
          options={projects.map((each) => ({
            key: each.name,
            text: `${each.title} ${each.name}`,
            label: each.title,
            hint: each.name,
            chosen: each.name === project?.name,
          }))}
          onChoose={(name) => {
            setOpen(false);
            onProject(name);
          }}
        />
      )}
    </Popover>
  );
}
