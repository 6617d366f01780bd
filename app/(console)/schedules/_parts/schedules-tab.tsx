"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link as TextLink } from "@/app/_ui/link";
import { matchesQuery } from "@/app/_ui/option-list";
import { SearchInput } from "@/app/_ui/search-input";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { QueryState } from "../../_query/query-state";
import { useAddress } from "../../_query/use-address";
import { LastFire } from "../../_schedules/last-fire";
import { ScheduleWords } from "../../_schedules/schedule-words";
import { ScheduleSwitch } from "../../_schedules/toggle-dialog";
import type { ScheduleView } from "../../_schedules/views";
import { BulkToggle } from "./bulk-toggle";
import type { useSchedules } from "./use-schedules";

interface SchedulesTabProps {
  projectId: string;
  schedules: ReturnType<typeof useSchedules>;
  may: boolean;
}

const soonest = (a: ScheduleView, b: ScheduleView) =>
  (a.nextFireAt?.getTime() ?? Number.POSITIVE_INFINITY) - (b.nextFireAt?.getTime() ?? Number.POSITIVE_INFINITY);

/** When each fires, the soonest first, and the switch of each. */
export function SchedulesTab({ projectId, schedules, may }: SchedulesTabProps) {
  const t = useTranslations("schedules.list");
  const router = useRouter();
  const { read, write } = useAddress();
  const columns = useColumns(projectId, may);
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const query = read("q");
  return (
    <QueryState query={{ data: schedules.rows, error: schedules.error, refetch: schedules.refetch }}>
      {(all) => {
        if (all.length === 0) {
          return (
            <EmptyState
              title={t("empty.title")}
              actions={
                <Button asChild>
                  <Link href="/pipelines">{t("empty.pipelines")}</Link>
                </Button>
              }
            >
              {t("empty.body")}
            </EmptyState>
          );
        }
        const rows = all
          .filter((each) => matchesQuery(`${each.pipeline.title} ${each.pipeline.name} ${each.name} ${each.timezone}`, query))
          .sort(soonest);
        const chosen = rows.filter(({ id }) => keys.has(id));
        return (
          <>
            <div className="flex flex-wrap items-center gap-3 px-4 py-3 md:px-6">
              <SearchInput main label={t("search")} value={query} onValue={(q) => write({ q })} className="w-full sm:w-80" />
              {chosen.length > 0 ? <BulkToggle projectId={projectId} chosen={chosen} onClear={() => setKeys(new Set())} /> : null}
              <span className="ml-auto text-ink-3 text-meta max-sm:hidden">{t("count", { n: rows.length })}</span>
            </div>
            <Table
              main
              className="pb-6 md:px-3"
              label={t("label")}
              columns={columns}
              rows={rows}
              rowHeight={46}
              keyOf={(row) => row.id}
              selection={may ? { keys, onKeys: setKeys, nameOf: (row) => `${row.pipeline.title} · ${row.name}` } : undefined}
              onOpen={(row) => router.push(`/pipelines/${row.pipeline.id}?tab=schedule`)}
              empty={<EmptyState compact title={t("none")} actions={<Button onClick={() => write({ q: null })}>{t("clear")}</Button>} />}
            />
          </>
        );
      }}
    </QueryState>
  );
}

function useColumns(projectId: string, may: boolean): readonly Column<ScheduleView>[] {
  const t = useTranslations("schedules.list");
  const policies = useTranslations("schedules");
  return [
    {
      key: "on",
      head: t("columns.on"),
      width: "3.5rem",
      cell: (row) => <ScheduleSwitch projectId={projectId} schedule={row} may={may} />,
    },
    { key: "pipeline", head: t("columns.pipeline"), cell: (row) => <PipelineCell row={row} /> },
    { key: "words", head: t("columns.words"), from: "sm", cell: (row) => <ScheduleWords stacked {...row} /> },
    { key: "next", head: t("columns.next"), width: "11rem", cell: (row) => <NextCell row={row} /> },
    { key: "last", head: t("columns.last"), width: "20rem", from: "lg", cell: (row) => <LastFire schedule={row} /> },
    {
      key: "policy",
      head: t("columns.policy"),
      width: "10rem",
      from: "xl",
      cell: (row) => <span className="text-ink-2">{policies(`overlap.${row.overlap}`)}</span>,
    },
  ];
}

const PipelineCell = ({ row }: { row: ScheduleView }) => (
  <span className="block min-w-0">
    <TextLink href={`/pipelines/${row.pipeline.id}`} className="block truncate font-medium">
      {row.pipeline.title}
    </TextLink>
    <span className="block truncate font-mono text-ink-3 text-meta">{row.name}</span>
  </span>
);

function NextCell({ row }: { row: ScheduleView }) {
  const t = useTranslations("schedules.list");
  if (row.health === "ERROR")
    return (
      <span className="text-state-failed" title={row.healthReason ?? undefined}>
        {t("unreadable")}
      </span>
    );
  if (!row.pipeline.enabled) return <Badge>{t("pipelineOff")}</Badge>;
  if (!row.enabled) return <Badge>{t("off")}</Badge>;
  if (!row.nextFireAt) return <span className="text-ink-3">{"–"}</span>;
  return (
    <span className="block">
      <Time at={row.nextFireAt} />
      <Time relative at={row.nextFireAt} className="block text-ink-3 text-meta" />
    </span>
  );
}
