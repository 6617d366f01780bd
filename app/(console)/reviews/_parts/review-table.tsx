"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { useNow } from "@/app/_ui/clock";
import { Duration } from "@/app/_ui/duration";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { useProject } from "../../_frame/project";
import { useFailureText } from "../../_query/use-failure-text";
import type { useReviews } from "./use-reviews";
import { isOverdue, keyOf, type ReviewRow } from "./views";

interface ReviewTableProps {
  reviews: ReturnType<typeof useReviews>;
  isFiltered: boolean;
  open: string;
  onOpen: (row: ReviewRow) => void;
  selected?: ReadonlySet<string>;
  onSelected?: (selected: ReadonlySet<string>) => void;
}

export function ReviewTable({ reviews, isFiltered, open, onOpen, selected, onSelected }: ReviewTableProps) {
  const t = useTranslations("reviews");
  const columns = useReviewColumns();
  const text = useFailureText();
  const role = useProject()?.role ?? null;
  if (reviews.error && !reviews.rows) {
    if (failureOf(reviews.error)?.code === "forbidden") return <NoPermissionState need="viewer" have={role} />;
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(reviews.error)} onRetry={() => void reviews.refetch()} />
      </div>
    );
  }
  const empty = isFiltered ? "filtered" : "all";
  return (
    <Table
      main
      className="pb-6 md:px-3"
      label={t("title")}
      columns={columns}
      rows={reviews.rows}
      keyOf={keyOf}
      openKey={open}
      onOpen={onOpen}
      {...(selected && onSelected
        ? { selection: { keys: selected, onKeys: onSelected, nameOf: (row: ReviewRow) => `${row.pipeline.title} ${row.node.key}` } }
        : {})}
      empty={<EmptyState title={t(`empty.${empty}.title`)}>{t(`empty.${empty}.body`)}</EmptyState>}
      footer={
        reviews.hasNextPage ? (
          <Button size="sm" busy={reviews.isFetchingNextPage} onClick={() => void reviews.fetchNextPage()}>
            {t("more")}
          </Button>
        ) : (
          <span>{t("end")}</span>
        )
      }
    />
  );
}

function useReviewColumns(): readonly Column<ReviewRow>[] {
  const t = useTranslations("reviews");
  return useMemo(
    (): Column<ReviewRow>[] => [
      {
        key: "node",
        head: t("columns.node"),
        cell: (row) => (
          <span className="flex min-w-0 items-baseline gap-2">
            <span className="min-w-0 truncate font-medium">{row.pipeline.title}</span>
            <Link
              prefetch={false}
              href={`/runs/${row.run.id}?node=${row.node.key}`}
              className="min-w-0 shrink-0 truncate font-mono text-meta"
            >
              {row.node.key}
            </Link>
          </span>
        ),
      },
      {
        key: "code",
        head: t("columns.code"),
        width: "17rem",
        from: "md",
        cell: (row) => (row.error ? <Mono>{row.error.code}</Mono> : <span className="text-ink-3">{"–"}</span>),
      },
      {
        key: "cause",
        head: t("columns.cause"),
        width: "13rem",
        from: "lg",
        cell: (row) => <span title={row.why}>{t(`cause.${row.cause}`)}</span>,
      },
      { key: "owner", head: t("columns.owner"), width: "9rem", from: "sm", cell: (row) => <span className="truncate">{row.owner}</span> },
      { key: "age", head: t("columns.age"), width: "min(11rem, 38vw)", cell: (row) => <Age row={row} /> },
    ],
    [t],
  );
}

/** How long it waits; past its limit that is said, and not by colour alone. */
function Age({ row }: { row: ReviewRow }) {
  const t = useTranslations("reviews");
  const now = useNow(60_000);
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Duration since={row.since} />
      {isOverdue(row, now) ? (
        <span className="text-meta text-state-failed before:mr-1 before:text-[9px] before:content-['▲']">{t("overdue")}</span>
      ) : null}
    </span>
  );
}
