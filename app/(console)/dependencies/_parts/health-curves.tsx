"use client";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { useZone } from "@/app/_ui/clock";
import { EmptyState } from "@/app/_ui/empty-state";
import { shortText, spanText } from "@/app/_ui/instant";
import { LineChart } from "@/app/_ui/line-chart";
import { Panel } from "@/app/_ui/panel";
import { Segmented } from "@/app/_ui/segmented";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import { useRateText } from "../../_dependencies/health-cells";
import type { DependencyDetails } from "./views";

type Point = DependencyDetails["points"][number];
type Face = "chart" | "table";

/** Latency above, errors beneath; or the same numbers as a table. */
export function HealthCurves({ details }: { details: DependencyDetails }) {
  const t = useTranslations("dependencies");
  const [face, setFace] = useState<Face>("chart");
  const any = details.points.some(({ health }) => health !== null);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Panel
        title={t("latency")}
        note={<ZoneNote />}
        actions={
          <Segmented<Face>
            label={t("face.label")}
            value={face}
            onValue={setFace}
            options={(["chart", "table"] as const).map((value) => ({ value, label: t(`face.${value}`) }))}
          />
        }
      >
        {any ? (
          face === "chart" ? (
            <Latency points={details.points} name={details.name} />
          ) : (
            <PointTable points={details.points} />
          )
        ) : (
          <EmptyState compact title={t("noCalls")} />
        )}
      </Panel>
      {any && face === "chart" ? (
        <Panel title={t("errorRate")} note={<ZoneNote />}>
          <ErrorRate points={details.points} name={details.name} />
        </Panel>
      ) : null}
    </div>
  );
}

interface CurveProps {
  points: readonly Point[];
  name: string;
}

function usePointNames(points: readonly Point[]): readonly string[] {
  const { zone } = useZone();
  const newest = points.at(-1)?.at.getTime() ?? 0;
  return points.map(({ at }) => shortText(at.getTime(), newest, zone, "minute"));
}

function Latency({ points, name }: CurveProps) {
  const t = useTranslations("dependencies");
  const names = usePointNames(points);
  const most = Math.max(0, ...points.map(({ health }) => health?.p99Ms ?? 0));
  return (
    <LineChart
      label={t("latencyLabel", { name, most: spanText(most) })}
      points={names}
      format={spanText}
      lines={[
        { key: "p50", label: t("facts.p50"), color: "var(--ink-3)", values: points.map(({ health }) => health?.p50Ms ?? null) },
        {
          key: "p95",
          label: t("facts.p95"),
          color: "var(--ink-2)",
          dash: "5 4",
          values: points.map(({ health }) => health?.p95Ms ?? null),
        },
        { key: "p99", label: t("facts.p99"), color: "var(--ink)", dash: "1 4", values: points.map(({ health }) => health?.p99Ms ?? null) },
      ]}
    />
  );
}

function ErrorRate({ points, name }: CurveProps) {
  const t = useTranslations("dependencies");
  const names = usePointNames(points);
  const format = new Intl.NumberFormat(useLocale(), { style: "percent", maximumFractionDigits: 1 });
  const values = points.map(({ health }) => (health === null || health.calls === 0 ? null : health.errors / health.calls));
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  return (
    <LineChart
      label={t("errorLabel", { name, most: format.format(most) })}
      points={names}
      format={(value) => format.format(value)}
      lines={[{ key: "errors", label: t("errorRate"), color: "var(--state-failed)", values }]}
    />
  );
}

function PointTable({ points }: { points: readonly Point[] }) {
  const t = useTranslations("dependencies");
  const rate = useRateText();
  const ms = (value: number | null | undefined) => (
    <span className="tabular-nums">{value === null || value === undefined ? "–" : spanText(value)}</span>
  );
  const columns: readonly Column<Point>[] = [
    { key: "at", head: t("columns.from"), cell: ({ at }) => <Time bare at={at} precision="minute" /> },
    {
      key: "calls",
      head: t("facts.calls"),
      align: "end",
      cell: ({ health }) => <span className="tabular-nums">{health?.calls ?? 0}</span>,
    },
    {
      key: "errors",
      head: t("columns.errors"),
      align: "end",
      cell: ({ health }) => <span className="tabular-nums">{rate(health)}</span>,
    },
    { key: "p50", head: t("facts.p50"), align: "end", from: "sm", cell: ({ health }) => ms(health?.p50Ms) },
    { key: "p95", head: t("facts.p95"), align: "end", from: "sm", cell: ({ health }) => ms(health?.p95Ms) },
    { key: "p99", head: t("facts.p99"), align: "end", cell: ({ health }) => ms(health?.p99Ms) },
  ];
  return (
    <div className="max-h-[34rem] overflow-y-auto">
      <Table label={t("latency")} columns={columns} rows={points.toReversed()} keyOf={({ at }) => String(at.getTime())} />
    </div>
  );
}
