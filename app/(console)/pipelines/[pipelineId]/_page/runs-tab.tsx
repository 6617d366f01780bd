"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { StateBadge } from "@/app/_status/state-badge";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Duration } from "@/app/_ui/duration";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import type { Outputs } from "../../../_query/outputs";
import { useFailureText } from "../../../_query/use-failure-text";
import type { PipelineProps } from "./tabs";

type RunRow = Outputs["runs"]["list"]["items"][number];

const PAGE = 50;

/** Its runs, newest first. */
export function RunsTab({ projectId, pipeline }: PipelineProps) {
  const t = useTranslations("pipeline.runs");
  const runs = useTranslations("runs");
  const trpc = useTRPC();
  const router = useRouter();
  const text = useFailureText();
  const columns = useColumns();
  const found = useInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions(
      { projectId, pipeline: pipeline.id, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const rows = found.data?.pages.flatMap(({ items }) => items);
  if (found.error && !rows) {
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(found.error)} onRetry={() => void found.refetch()} />
      </div>
    );
  }
  return (
    <Table
      main
      className="pb-6 md:px-3"
      label={t("label", { pipeline: pipeline.title })}
      columns={columns}
      rows={rows}
      keyOf={(row) => row.id}
      onOpen={(row) => router.push(`/runs/${row.id}`)}
      empty={<EmptyState title={t("empty.title")}>{t("empty.body")}</EmptyState>}
      footer={
        <>
          {found.hasNextPage ? (
            <Button size="sm" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              {runs("more")}
            </Button>
          ) : null}
          <span>{found.hasNextPage ? runs("shown", { n: rows?.length ?? 0 }) : runs("end")}</span>
          <Link href={`/runs?pipeline=${pipeline.name}`}>{t("filter")}</Link>
        </>
      }
    />
  );
}

function useColumns(): readonly Column<RunRow>[] {
  const t = useTranslations("runs");
  return [
    { key: "state", head: t("columns.state"), width: "8rem", cell: (row) => <StateBadge of="run" state={row.state} /> },
    {
      key: "started",
      head: (
        <>
          {t("columns.started")} <ZoneNote />
        </>
      ),
      width: "9rem",
      cell: (row) => (
        <Link href={`/runs/${row.id}`}>
          <Time bare at={row.times.startedAt ?? row.times.createdAt} />
        </Link>
      ),
    },
    {
      key: "duration",
      head: t("columns.duration"),
      width: "6.5rem",
      align: "end",
      cell: (row) => <Duration since={row.times.startedAt} until={row.times.endedAt} />,
    },
    {
      key: "version",
      head: t("columns.version"),
      width: "5.5rem",
      from: "sm",
      cell: (row) => <span className="font-mono text-meta">{`v${row.versionNo}`}</span>,
    },
    {
      key: "trigger",
      head: t("columns.trigger"),
      from: "sm",
      cell: (row) => (
        <span title={t(`triggerBy.${row.trigger.kind}`, { name: row.trigger.actor.label })}>
          {t(`trigger.${row.trigger.kind}`)} <span className="text-ink-3 text-meta">{row.trigger.actor.label}</span>
        </span>
      ),
    },
    {
      key: "nodes",
      head: t("columns.nodes"),
      width: "9rem",
      from: "md",
      cell: (row) => {
        const all = Object.values(row.nodes).reduce((sum, n) => sum + n, 0);
        return <span className="text-ink-2 tabular-nums">{t("nodesDone", { done: row.nodes.SUCCESS ?? 0, all })}</span>;
      },
    },
  ];
}
