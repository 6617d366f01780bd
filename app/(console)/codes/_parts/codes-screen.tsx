"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import { roleAllows } from "@/server/domain/access/roles";
import { useRoleIn } from "../../_frame/project";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { StaleMark } from "../../_query/stale-mark";
import { ProposeCode } from "./propose-code";
import { RegisterTable } from "./register-table";
import { ReviewersDialog } from "./reviewers-dialog";
import { TriageInbox } from "./triage-inbox";

/** The register of error codes, and the inbox of those that nobody registered (EXC-1, EXC-9). */
export function CodesScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("codes");
  const trpc = useTRPC();
  const tab = useTab(["register", "triage"]);
  const role = useRoleIn(projectId);
  const may = (permission: "code.propose" | "code.settings") => role !== null && roleAllows(role, permission);
  const settings = useQuery(trpc.codes.settings.queryOptions({ projectId }));
  const [dialog, setDialog] = useState<{ kind: "propose"; code: string } | { kind: "reviewers" } | null>(null);
  const reviewers = settings.data?.reviewers;
  const propose = may("code.propose") ? (code: string) => setDialog({ kind: "propose", code }) : null;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            {reviewers === undefined ? null : (
              <span className="text-ink-3">
                {t("reviewers.needed", { n: reviewers })}
                {may("code.settings") ? (
                  <Button look="quiet" size="sm" onClick={() => setDialog({ kind: "reviewers" })}>
                    {t("reviewers.change")}
                  </Button>
                ) : null}
              </span>
            )}
            <StaleMark />
          </>
        }
        actions={
          propose ? (
            <Button look="primary" onClick={() => propose("")}>
              {t("form.propose")}
            </Button>
          ) : null
        }
        tabs={
          <PageTabs
            label={t("title")}
            value={tab}
            tabs={[
              { value: "register", label: t("tabs.register") },
              { value: "triage", label: t("tabs.triage") },
            ]}
          />
        }
      />
      {tab === "register" ? (
        <RegisterTable projectId={projectId} onPropose={propose} />
      ) : (
        <TriageInbox projectId={projectId} onPropose={propose} />
      )}
      {dialog?.kind === "propose" ? (
        <ProposeCode projectId={projectId} code={dialog.code} reviewers={reviewers ?? 0} onClose={() => setDialog(null)} />
      ) : null}
      {dialog?.kind === "reviewers" && reviewers !== undefined ? (
        <ReviewersDialog projectId={projectId} reviewers={reviewers} onClose={() => setDialog(null)} />
      ) : null}
    </>
  );
}
