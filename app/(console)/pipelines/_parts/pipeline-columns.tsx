"use client";
import { PenLine } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { RunStrip } from "@/app/_status/run-strip";
import { StateBadge, StateDot } from "@/app/_status/state-badge";
import { Badge } from "@/app/_ui/badge";
import { cn } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { ScheduleWords } from "../../_schedules/schedule-words";
import { ResourceLines } from "./resource-chips";
import type { PipelineRow, PipelineRun } from "./views";

export const stripRun = ({ id, state, startedAt, endedAt }: PipelineRun) => ({
  id,
  state,
  durationMs: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
});

export function usePipelineColumns(onResource: (resource: string) => void): readonly Column<PipelineRow>[] {
  const t = useTranslations("pipelines");
  return useMemo(
    () => [
      { key: "state", head: t("columns.state"), width: "7.5rem", from: "sm", sortable: true, cell: (row) => <StateCell row={row} /> },
      { key: "name", head: t("columns.name"), sortable: true, cell: (row) => <NameCell row={row} /> },
      { key: "schedule", head: t("columns.schedule"), from: "md", cell: (row) => <ScheduleCell row={row} /> },
      {
        key: "next",
        head: t("columns.next"),
        width: "6.5rem",
        sortable: true,
        cell: (row) => <Time relative at={row.nextFireAt} none={"–"} />,
      },
      {
        key: "runs",
        head: t("columns.runs"),
        width: "9.75rem",
        from: "md",
        cell: (row) => <RunStrip runs={row.recentRuns.map(stripRun)} />,
      },
      {
        key: "touches",
        head: t("columns.touches"),
        width: "15rem",
        from: "lg",
        cell: (row) => <ResourceLines reads={row.reads} writes={row.writes} onResource={onResource} />,
      },
      { key: "changed", head: t("columns.changed"), width: "8.5rem", from: "xl", sortable: true, cell: (row) => <ChangedCell row={row} /> },
    ],
    [t, onResource],
  );
}

function StateCell({ row }: { row: PipelineRow }) {
  const t = useTranslations("pipelines");
  if (!row.lastRun) return <span className="text-ink-3">{t("neverRan")}</span>;
  return (
    <Link href={`/runs/${row.lastRun.id}`} className="no-underline hover:underline">
      <StateBadge of="run" state={row.lastRun.state} />
    </Link>
  );
}

function NameCell({ row }: { row: PipelineRow }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      {row.lastRun ? <StateDot of="run" state={row.lastRun.state} className="sm:hidden" /> : null}
      <span className="min-w-0">
        <span className="flex min-w-0 items-center gap-1.5">
          <Link href={`/pipelines/${row.id}`} className={cn("truncate font-medium", !row.enabled && "text-ink-2")}>
            {row.title}
          </Link>
          <Standing row={row} />
        </span>
        <span className="block truncate text-ink-3 text-meta">
          {row.owner} <span className="font-mono">{` · ${row.name}`}</span>
        </span>
      </span>
    </span>
  );
}

/** What sets a pipeline apart from one that is live and on. */
function Standing({ row }: { row: PipelineRow }) {
  const t = useTranslations("pipelines.standing");
  if (row.archivedAt) return <Badge className="shrink-0">{t("archived")}</Badge>;
  if (row.liveVersionNo === null) return <Badge className="shrink-0 border-dashed">{t("draft")}</Badge>;
  return (
    <>
      {row.enabled ? null : <Badge className="shrink-0">{t("disabled")}</Badge>}
      {row.draftDiffers ? (
        <span role="img" aria-label={t("differs")} title={t("differs")} className="inline-flex shrink-0 text-ink-3">
          <PenLine size={12} aria-hidden="true" />
        </span>
      ) : null}
    </>
  );
}

function ScheduleCell({ row }: { row: PipelineRow }) {
  const t = useTranslations("pipelines");
  const [first, ...others] = [...row.schedules].sort((a, b) => Number(b.enabled) - Number(a.enabled));
  if (!first) return <span className="text-ink-3">{t("noSchedule")}</span>;
  if (first.health === "ERROR") {
    return (
      <span title={first.healthReason ?? undefined} className="truncate text-state-failed">
        {t("unreadable")}
      </span>
    );
  }
  return (
    <span className="flex min-w-0 items-center gap-2">
      <ScheduleWords stacked {...first} className={first.enabled ? undefined : "text-ink-3"} />
      {first.enabled ? null : <Badge className="shrink-0">{t("off")}</Badge>}
      {others.length > 0 ? (
        <Badge className="shrink-0" title={t("moreSchedules", { n: others.length })}>{`+${others.length}`}</Badge>
      ) : null}
    </span>
  );
}

const ChangedCell = ({ row }: { row: PipelineRow }) => (
  <span className="block min-w-0">
    <span className="block truncate">{row.updatedBy}</span>
    <Time relative at={row.updatedAt} className="block text-ink-3 text-meta" />
  </span>
);
