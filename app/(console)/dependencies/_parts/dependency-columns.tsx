"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { BarStrip } from "@/app/_ui/bar-strip";
import { spanText } from "@/app/_ui/instant";
import { Link } from "@/app/_ui/link";
import type { Column } from "@/app/_ui/table-column";
import { dependencyHref } from "../../_dependencies/address";
import { MsPair, useRateText } from "../../_dependencies/health-cells";
import type { DependencyLine } from "./views";

export function useDependencyColumns(): readonly Column<DependencyLine>[] {
  const t = useTranslations("dependencies");
  const rate = useRateText();
  return useMemo(
    () => [
      {
        key: "name",
        head: t("columns.name"),
        cell: (row) => (
          <span className="flex min-w-0 items-baseline gap-2">
            <Link prefetch={false} href={dependencyHref(row)} className="min-w-0 truncate font-mono text-meta">
              {row.name === "*" ? t("others") : row.name}
            </Link>
            <span className="shrink-0 text-ink-3 text-meta">{t(`kind.${row.kind}`)}</span>
          </span>
        ),
      },
      {
        key: "calls",
        head: t("columns.calls"),
        width: "5.5rem",
        align: "end",
        cell: (row) => <span className="tabular-nums">{row.now?.calls ?? 0}</span>,
      },
      {
        key: "errors",
        head: t("columns.errors"),
        width: "5.5rem",
        align: "end",
        cell: (row) => (
          <span className={row.now && row.now.errors > 0 ? "text-state-failed tabular-nums" : "tabular-nums"}>{rate(row.now)}</span>
        ),
      },
      {
        key: "p50",
        head: t("columns.p50"),
        width: "9rem",
        align: "end",
        from: "md",
        cell: (row) => <MsPair now={row.now?.p50Ms} before={row.weekAgo?.p50Ms} />,
      },
      {
        key: "p99",
        head: t("columns.p99"),
        width: "9rem",
        align: "end",
        from: "sm",
        cell: (row) => <MsPair now={row.now?.p99Ms} before={row.weekAgo?.p99Ms} />,
      },
      { key: "day", head: t("columns.day"), width: "11rem", from: "lg", cell: (row) => <DayStrip line={row} /> },
    ],
    [t, rate],
  );
}

const HOURS = 24;

/** The p99 of each of the last 24 hours; an hour with errors is red and hatched. */
function DayStrip({ line }: { line: DependencyLine }) {
  const t = useTranslations("dependencies");
  const most = Math.max(0, ...line.hours.map((hour) => hour?.p99Ms ?? 0));
  return (
    <BarStrip
      places={HOURS}
      label={t("dayLabel", { name: line.name, most: spanText(most) })}
      bars={line.hours.map((hour, index) => ({
        key: String(index),
        height: most === 0 ? 0 : (hour?.p99Ms ?? 0) / most,
        color: hour === null ? "var(--line-strong)" : hour.errors > 0 ? "var(--state-failed)" : "var(--ink-3)",
        fill: hour === null ? ("hollow" as const) : hour.errors > 0 ? ("hatched" as const) : ("solid" as const),
        label: hour === null ? t("hourNone") : t("hour", { calls: hour.calls, errors: hour.errors, p99: spanText(hour.p99Ms ?? 0) }),
      }))}
    />
  );
}
