"use client";
import { useTranslations } from "next-intl";
import { PageHeader } from "@/app/_ui/page-header";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { StaleMark } from "../../_query/stale-mark";
import { LedgerTab } from "./ledger-tab";
import { SchedulesTab } from "./schedules-tab";
import { useSchedules } from "./use-schedules";

interface SchedulesScreenProps {
  projectId: string;
  role: Role;
}

const TABS = ["ledger", "list"] as const;

/** Did it fire when it should, and when does it fire next? */
export function SchedulesScreen({ projectId, role }: SchedulesScreenProps) {
  const t = useTranslations("schedules");
  const tab = useTab(TABS);
  const schedules = useSchedules(projectId);
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            <StaleMark />
          </>
        }
        tabs={
          <PageTabs
            label={t("tabs.label")}
            value={tab}
            tabs={[
              { value: "ledger", label: t("tabs.ledger") },
              { value: "list", label: t("tabs.list"), count: schedules.rows?.length },
            ]}
          />
        }
      />
      {tab === "ledger" ? (
        <LedgerTab projectId={projectId} schedules={schedules.rows ?? []} />
      ) : (
        <SchedulesTab projectId={projectId} schedules={schedules} may={roleAllows(role, "schedule.toggle")} />
      )}
    </>
  );
}
