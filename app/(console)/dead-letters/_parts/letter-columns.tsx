"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { StateBadge } from "@/app/_status/state-badge";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import type { LetterRow } from "./views";

/** What is dead, why, and since when; of the closed ones also how they ended. */
export function useLetterColumns(show: "open" | "closed"): readonly Column<LetterRow>[] {
  const t = useTranslations("deadLetters");
  return useMemo(() => {
    const columns: Column<LetterRow>[] = [
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
      { key: "cause", head: t("columns.cause"), width: "min(12rem, 36vw)", cell: (row) => t(`cause.${row.cause}`) },
      {
        key: "code",
        head: t("columns.code"),
        width: "17rem",
        from: "lg",
        cell: (row) => (row.error ? <Mono>{row.error.code}</Mono> : <span className="text-ink-3">{"–"}</span>),
      },
      { key: "state", head: t("columns.state"), width: "9rem", from: "md", cell: (row) => <StateBadge of="node" state={row.node.state} /> },
      {
        key: "at",
        head: (
          <>
            {t("columns.at")} <ZoneNote />
          </>
        ),
        width: "9rem",
        from: "sm",
        cell: (row) => <Time bare at={row.at} />,
      },
    ];
    if (show === "closed") {
      columns.push({
        key: "end",
        head: t("columns.end"),
        width: "12rem",
        from: "md",
        cell: (row) =>
          row.closed ? (
            <span title={row.closed.reason ?? undefined}>
              {t(`end.${row.closed.as}`)} <span className="text-ink-3 text-meta">{row.closed.by?.label}</span>
            </span>
          ) : null,
      });
    }
    return columns;
  }, [t, show]);
}
