"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { Panel } from "@/app/_ui/panel";
import { notify } from "@/app/_ui/toast";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { CheckList } from "./check-list";
import { PlaybookDialog } from "./playbook-dialog";
import { usePlaybooks } from "./use-playbooks";
import type { OwnPlaybook, Playbook } from "./views";

interface PlaybookScreenProps {
  projectId: string;
  role: Role;
  /** The key of a shipped one, or the id of one of the project. */
  playbook: string;
}

/** One playbook: the symptom, its checks with what they find, and what that means (INC-4). */
export function PlaybookScreen({ projectId, role, playbook }: PlaybookScreenProps) {
  const t = useTranslations("playbooks");
  const found = usePlaybooks(projectId);
  return (
    <QueryState query={found}>
      {(all) => {
        const shown = all.find(({ key }) => key === playbook);
        if (shown) return <Shown projectId={projectId} playbook={shown} may={roleAllows(role, "playbook.manage")} />;
        return (
          <EmptyState title={t("missing.title")} actions={<Link href="/playbooks">{t("missing.all")}</Link>}>
            {t("missing.body")}
          </EmptyState>
        );
      }}
    </QueryState>
  );
}

function Shown({ projectId, playbook, may }: { projectId: string; playbook: Playbook; may: boolean }) {
  const t = useTranslations("playbooks");
  return (
    <>
      <PageHeader
        trail={<Link href="/playbooks">{t("title")}</Link>}
        title={playbook.title}
        meta={<span className="max-w-prose">{playbook.symptom}</span>}
        actions={playbook.own && may ? <OwnActs projectId={projectId} playbook={playbook.own} /> : null}
      />
      <div className="grid gap-x-10 gap-y-6 px-4 pb-8 md:px-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <CheckList projectId={projectId} checks={playbook.checks} />
        {playbook.meaning === "" && playbook.link === null ? null : (
          <Panel title={t("meaning")} className="max-lg:order-first">
            <p className="max-w-prose whitespace-pre-line break-words text-body">{playbook.meaning}</p>
            {playbook.link === null ? null : (
              <p className="mt-2 break-all text-table">
                <a
                  href={playbook.link}
                  target="_blank"
                  rel="noreferrer noopener"
                  className="underline decoration-line-strong underline-offset-3"
                >
                  {t("link")}
                </a>
              </p>
            )}
          </Panel>
        )}
      </div>
    </>
  );
}

function OwnActs({ projectId, playbook }: { projectId: string; playbook: OwnPlaybook }) {
  const t = useTranslations("playbooks.form");
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  return (
    <>
      <Button onClick={() => setOpen("remove")}>{t("remove")}</Button>
      <Button onClick={() => setOpen("change")}>{t("change")}</Button>
      {open === "change" ? <PlaybookDialog projectId={projectId} playbook={playbook} onClose={() => setOpen(null)} /> : null}
      {open === "remove" ? <RemoveDialog playbook={playbook} onClose={() => setOpen(null)} /> : null}
    </>
  );
}

function RemoveDialog({ playbook, onClose }: { playbook: OwnPlaybook; onClose: () => void }) {
  const t = useTranslations("playbooks.form");
  const trpc = useTRPC();
  const router = useRouter();
  const refresh = useRefresh();
  const text = useFailureText();
  const remove = useMutation(
    trpc.playbooks.remove.mutationOptions({
      onSuccess: () => {
        router.push("/playbooks");
        refresh();
        notify({ title: t("removed") });
      },
      onError: refresh,
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={onClose}
      title={t("removeTitle", { title: playbook.title })}
      verb={t("remove")}
      tone="destroy"
      busy={remove.isPending}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={() => remove.mutate({ id: playbook.id, revision: playbook.revision })}
    >
      {t("removeBody")}
    </ConfirmDialog>
  );
}
