"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { StateBadge } from "@/app/_status/state-badge";
import { useTRPC } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import { QueryState } from "../../_query/query-state";
import type { Retrying } from "./views";

/** What waits for its next attempt: nobody is paged for it, and it is not hidden either (ALT-2). */
export function RetryingTab({ projectId }: { projectId: string }) {
  const t = useTranslations("alerts");
  const trpc = useTRPC();
  const found = useQuery(trpc.alerts.retrying.queryOptions({ projectId }));
  const columns: readonly Column<Retrying>[] = [
    {
      key: "state",
      head: t("columns.state"),
      width: "8rem",
      from: "sm",
      cell: (row) => <StateBadge of="node" state="RETRYING" retryNo={row.attempts} />,
    },
    {
      key: "node",
      head: t("columns.title"),
      cell: (row) => (
        <span className="flex min-w-0 items-baseline gap-2">
          <span className="min-w-0 truncate font-medium">{row.pipeline.title}</span>
          <Link prefetch={false} href={`/runs/${row.runId}?node=${row.nodeKey}`} className="min-w-0 shrink-0 truncate font-mono text-meta">
            {row.nodeKey}
          </Link>
        </span>
      ),
    },
    {
      key: "code",
      head: t("columns.code"),
      width: "17rem",
      from: "md",
      cell: (row) => (row.code ? <Mono>{row.code}</Mono> : <span className="text-ink-3">{"–"}</span>),
    },
    { key: "attempts", head: t("columns.attempts"), width: "6rem", align: "end", from: "sm", cell: (row) => row.attempts },
    {
      key: "due",
      head: (
        <>
          {t("columns.due")} <ZoneNote />
        </>
      ),
      width: "min(10rem, 34vw)",
      cell: (row) => <Time bare at={row.dueAt} />,
    },
    { key: "owner", head: t("columns.owner"), width: "9rem", from: "xl", cell: (row) => row.pipeline.owner },
  ];
  return (
    <QueryState query={found}>
      {(rows) => (
        <Table
          main
          className="pb-6 md:px-3"
          label={t("tabs.retrying")}
          columns={columns}
          rows={rows}
          keyOf={(row) => `${row.runId}/${row.nodeKey}`}
          empty={<EmptyState title={t("empty.retrying.title")}>{t("empty.retrying.body")}</EmptyState>}
        />
      )}
    </QueryState>
  );
}
