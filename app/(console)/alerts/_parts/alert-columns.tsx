"use client";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { Badge } from "@/app/_ui/badge";
import { Mono } from "@/app/_ui/mono";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { GradeMark } from "../../_grades/grade-mark";
import { useSuppressorText } from "./suppressor";
import type { AlertItem } from "./views";

/** Grade, title, code, object, count, age and owner; of the suppressed ones also by what. */
export function useAlertColumns(show: "open" | "suppressed" | "all"): readonly Column<AlertItem>[] {
  const t = useTranslations("alerts");
  return useMemo(() => {
    const columns: Column<AlertItem>[] = [
      { key: "grade", head: t("columns.grade"), width: "min(9rem, 16vw)", cell: (row) => <GradeMark grade={row.grade} /> },
      {
        key: "title",
        head: t("columns.title"),
        cell: (row) => (
          <span className="flex min-w-0 items-center gap-2">
            <span className="shrink-0 text-ink-3 text-meta tabular-nums">{`#${row.no}`}</span>
            <span className="min-w-0 truncate font-medium">{t(`kind.${row.kind}`, { object: row.label, count: row.count })}</span>
            <StateOf alert={row} show={show} />
          </span>
        ),
      },
      {
        key: "code",
        head: t("columns.code"),
        width: "17rem",
        from: show === "suppressed" ? "xl" : "lg",
        cell: (row) => <Mono>{row.code}</Mono>,
      },
    ];
    if (show === "suppressed") {
      columns.push({
        key: "by",
        head: t("columns.by"),
        width: "9rem",
        from: "md",
        cell: (row) => <KeptBy alert={row} />,
      });
    }
    columns.push(
      { key: "count", head: t("columns.count"), width: "4.5rem", align: "end", from: "sm", cell: (row) => row.count },
      {
        key: "age",
        head: t("columns.age"),
        width: "min(8rem, 22vw)",
        cell: (row) => <Time relative at={row.firstAt} className="text-ink-2" />,
      },
      {
        key: "owner",
        head: t("columns.owner"),
        width: "10rem",
        from: "xl",
        cell: (row) => row.owner ?? <span className="text-ink-3">{"–"}</span>,
      },
    );
    return columns;
  }, [t, show]);
}

function KeptBy({ alert }: { alert: AlertItem }) {
  const t = useTranslations("alerts.by");
  const why = useSuppressorText();
  return alert.suppressed ? <span title={alert.heldBy.map(why).join("\n")}>{t(alert.suppressed.kind)}</span> : null;
}

function StateOf({ alert, show }: { alert: AlertItem; show: string }) {
  const t = useTranslations("alerts.state");
  if (alert.resolved) return <Badge tone="good">{t("resolved")}</Badge>;
  if (alert.acknowledged) return <Badge>{t("acknowledged", { by: alert.acknowledged.by })}</Badge>;
  if (alert.suppressed && show === "all") return <Badge>{t("suppressed")}</Badge>;
  return null;
}
