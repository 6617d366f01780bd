"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { PageHeader } from "@/app/_ui/page-header";
import { Time } from "@/app/_ui/time";
import { GradeMark } from "../../_grades/grade-mark";
import { IncidentStateMark } from "../../_incidents/incident-state";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { IncidentActs } from "./incident-acts";
import { IncidentFacts } from "./incident-facts";
import { RecurrenceNote } from "./recurrence-note";
import { ReviewTab } from "./review-tab";
import { Timeline } from "./timeline";
import type { IncidentDetails } from "./views";

const TABS = ["timeline", "review"] as const;

/** One incident: what happened, who has it, what can be done about it, and its review (INC-1, INC-2). */
export function IncidentScreen({ id }: { id: string }) {
  const trpc = useTRPC();
  const found = useQuery({ ...trpc.incidents.get.queryOptions({ id }), placeholderData: keepPreviousData });
  return <QueryState query={found}>{(incident) => <Incident incident={incident} />}</QueryState>;
}

function Incident({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents");
  const tab = useTab(TABS);
  return (
    <>
      <PageHeader
        trail={<Link href="/incidents">{t("title")}</Link>}
        mark={<GradeMark grade={incident.severity} className="text-table" />}
        title={
          <>
            <span className="text-ink-3 tabular-nums">{`#${incident.no} `}</span>
            <Mono className="break-all">{incident.code}</Mono>
          </>
        }
        meta={
          <>
            <IncidentStateMark state={incident.state} />
            <span>{incident.owner ?? t("nobody")}</span>
            <Time relative at={incident.openedAt} />
            <StaleMark />
          </>
        }
        actions={<IncidentActs incident={incident} />}
        tabs={
          <PageTabs
            label={`#${incident.no}`}
            value={tab}
            tabs={TABS.map((value) => ({
              value,
              label: t(`tabs.${value}`),
              count: value === "review" && incident.review.missing > 0 ? incident.review.missing : undefined,
            }))}
          />
        }
      />
      <RecurrenceNote incident={incident} />
      <div className="grid gap-x-10 gap-y-6 px-4 pt-4 pb-8 md:px-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0">
          {tab === "timeline" ? <Timeline incident={incident} /> : <ReviewTab key={incident.id} incident={incident} />}
        </div>
        <IncidentFacts incident={incident} />
      </div>
    </>
  );
}
