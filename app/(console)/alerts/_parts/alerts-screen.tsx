"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/page-header";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { StaleMark } from "../../_query/stale-mark";
import { AlertList } from "./alert-list";
import { ChannelsTab } from "./channels-tab";
import { NoiseTab } from "./noise-tab";
import { RetryingTab } from "./retrying-tab";
import { RulesTab } from "./rules-tab";
import { SilencesTab } from "./silences-tab";

const TABS = ["open", "suppressed", "retrying", "all", "silences", "rules", "channels", "noise"] as const;

/** What needs somebody, what was kept from people and by what, and all that decides between the two. */
export function AlertsScreen({ projectId, role }: { projectId: string; role: Role }) {
  const t = useTranslations("alerts");
  const trpc = useTRPC();
  const tab = useTab(TABS);
  const counts = useQuery(trpc.alerts.count.queryOptions({ projectId })).data;
  const numbers: Partial<Record<(typeof TABS)[number], number | undefined>> = { open: counts?.open, suppressed: counts?.suppressed };
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
            label={t("title")}
            value={tab}
            tabs={TABS.map((value) => ({ value, label: t(`tabs.${value}`), count: numbers[value] || undefined }))}
          />
        }
      />
      {tab === "open" || tab === "suppressed" || tab === "all" ? <AlertList key={tab} projectId={projectId} show={tab} /> : null}
      {tab === "retrying" ? <RetryingTab projectId={projectId} /> : null}
      {tab === "silences" ? <SilencesTab projectId={projectId} may={roleAllows(role, "alert.handle")} /> : null}
      {tab === "rules" ? <RulesTab projectId={projectId} may={roleAllows(role, "alert.configure")} /> : null}
      {tab === "channels" ? <ChannelsTab projectId={projectId} may={roleAllows(role, "channel.manage")} /> : null}
      {tab === "noise" ? <NoiseTab projectId={projectId} /> : null}
    </>
  );
}
