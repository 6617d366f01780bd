"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { GradeMark } from "../../_grades/grade-mark";
import { IncidentStateMark } from "../../_incidents/incident-state";
import type { IncidentLine } from "./views";

/** Severity, number and code, pipeline, state, owner and age. */
export function useIncidentColumns(): readonly Column<IncidentLine>[] {
  const t = useTranslations("incidents");
  return useMemo(
    () => [
      { key: "severity", head: t("columns.severity"), width: "min(9rem, 16vw)", cell: (row) => <GradeMark grade={row.severity} /> },
      {
        key: "incident",
        head: t("columns.incident"),
        cell: (row) => (
          <Link prefetch={false} href={`/incidents/${row.id}`} className="flex min-w-0 items-center gap-2">
            <span className="shrink-0 text-ink-3 text-meta tabular-nums">{`#${row.no}`}</span>
            <Mono className="min-w-0 truncate">{row.code}</Mono>
          </Link>
        ),
      },
      {
        key: "pipeline",
        head: t("columns.pipeline"),
        width: "14rem",
        from: "lg",
        cell: (row) => row.pipeline?.title ?? <span className="text-ink-3">{"–"}</span>,
      },
      { key: "state", head: t("columns.state"), width: "min(9rem, 24vw)", cell: (row) => <IncidentStateMark state={row.state} /> },
      {
        key: "owner",
        head: t("columns.owner"),
        width: "11rem",
        from: "md",
        cell: (row) => row.owner ?? <span className="text-ink-3">{t("nobody")}</span>,
      },
      {
        key: "age",
        head: t("columns.age"),
        width: "9rem",
        from: "sm",
        cell: (row) => <Time relative at={row.openedAt} className="text-ink-2" />,
      },
    ],
    [t],
  );
}
