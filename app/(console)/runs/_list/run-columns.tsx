"use client";
import { useTranslations } from "next-intl";
import { type ReactNode, useMemo } from "react";
import { StateBadge, StateDot } from "@/app/_status/state-badge";
import { Badge } from "@/app/_ui/badge";
import { Duration } from "@/app/_ui/duration";
import { Link } from "@/app/_ui/link";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import { filledKeys, type RunRow } from "../views";
import { NodeStrip } from "./node-strip";

export function useRunColumns(): readonly Column<RunRow>[] {
  const t = useTranslations("runs");
  return useMemo(
    () => [
      {
        key: "state",
        head: t("columns.state"),
        width: "7.5rem",
        from: "sm",
        cell: (row) => <StateBadge of="run" state={row.state} />,
      },
      { key: "pipeline", head: t("columns.pipeline"), cell: (row) => <PipelineCell row={row} /> },
      { key: "trigger", head: t("columns.trigger"), width: "13rem", from: "md", cell: (row) => <TriggerCell row={row} /> },
      { key: "keys", head: t("columns.keys"), width: "15rem", from: "lg", cell: (row) => <KeysCell keys={row.businessKeys} /> },
      { key: "nodes", head: t("columns.nodes"), width: "11rem", from: "md", cell: (row) => <NodeStrip counts={row.nodes} /> },
      {
        key: "started",
        head: (
          <>
            {t("columns.started")} <ZoneNote />
          </>
        ),
        width: "min(9rem, 34vw)",
        cell: (row) => <Time bare at={row.times.startedAt ?? row.times.createdAt} />,
      },
      {
        key: "duration",
        head: t("columns.duration"),
        width: "6.5rem",
        align: "end",
        from: "sm",
        cell: (row) => <Duration since={row.times.startedAt} until={row.times.endedAt} />,
      },
    ],
    [t],
  );
}

function PipelineCell({ row }: { row: RunRow }) {
  const t = useTranslations("runs");
  return (
    <span className="flex min-w-0 items-center gap-2">
      <StateDot of="run" state={row.state} className="sm:hidden" />
      <Link prefetch={false} href={`/runs/${row.id}`} className="min-w-0 truncate font-medium">
        {row.pipeline.title}
      </Link>
      <span title={`${t("columns.version")} ${row.versionNo}`} className="shrink-0 font-mono text-ink-3 text-meta max-sm:hidden">
        {`v${row.versionNo}`}
      </span>
    </span>
  );
}

function TriggerCell({ row }: { row: RunRow }): ReactNode {
  const t = useTranslations("runs");
  const { kind, actor, scheduledAt } = row.trigger;
  return (
    <span title={t(`triggerBy.${kind}`, { name: actor.label })} className="flex min-w-0 items-baseline gap-1.5">
      <span className="shrink-0">{t(`trigger.${kind}`)}</span>
      <span className="min-w-0 truncate text-ink-3 text-meta">
        {kind === "schedule" && scheduledAt ? <Time bare at={scheduledAt} className="text-meta" /> : actor.label}
      </span>
    </span>
  );
}

const MOST_KEYS = 2;

function KeysCell({ keys }: { keys: RunRow["businessKeys"] }) {
  const entries = filledKeys(keys);
  if (entries.length === 0) return <span className="text-ink-3">{"–"}</span>;
  return (
    <span title={entries.map(([name, value]) => `${name} = ${value}`).join("\n")} className="flex min-w-0 items-center gap-1.5">
      {entries.slice(0, MOST_KEYS).map(([name, value]) => (
        <Badge key={name} mono>{`${name}=${value}`}</Badge>
      ))}
      {entries.length > MOST_KEYS ? <span className="text-ink-3 text-meta">{`+${entries.length - MOST_KEYS}`}</span> : null}
    </span>
  );
}
