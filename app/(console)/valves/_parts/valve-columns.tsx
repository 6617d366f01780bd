"use client";
import { CircleCheck, Droplets, OctagonPause } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { Badge, type Tone } from "@/app/_ui/badge";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import type { ValveRow } from "./views";

const LOOKS: Record<ValveRow["state"], { tone: Tone; icon: typeof OctagonPause }> = {
  closing: { tone: "warn", icon: OctagonPause },
  closed: { tone: "bad", icon: OctagonPause },
  releasing: { tone: "info", icon: Droplets },
  ended: { tone: "good", icon: CircleCheck },
};

/** By icon, word and colour. */
export function ValveBadge({ state }: { state: ValveRow["state"] }) {
  const t = useTranslations("valves.state");
  const { tone, icon: Icon } = LOOKS[state];
  return (
    <Badge tone={tone} icon={<Icon size={12} aria-hidden="true" />}>
      {t(state)}
    </Badge>
  );
}

export function useValveColumns(show: "open" | "ended"): readonly Column<ValveRow>[] {
  const t = useTranslations("valves");
  return useMemo(() => {
    const columns: Column<ValveRow>[] = [
      { key: "no", head: "#", width: "3.5rem", cell: (row) => <span className="font-mono tabular-nums">{`#${row.no}`}</span> },
      {
        key: "what",
        head: t("columns.what"),
        cell: (row) => (
          <span className="flex min-w-0 items-baseline gap-2">
            <span className="min-w-0 truncate font-medium">{row.label}</span>
            <span className="shrink-0 text-ink-3 text-meta">{t(`kind.${row.kind}`)}</span>
          </span>
        ),
      },
      { key: "state", head: t("columns.state"), width: "min(9rem, 30vw)", cell: (row) => <ValveBadge state={row.state} /> },
      {
        key: "held",
        head: t(show === "open" ? "columns.held" : "columns.released"),
        width: "7rem",
        align: "end",
        cell: (row) => <span className="tabular-nums">{show === "open" ? row.held : row.released}</span>,
      },
      { key: "why", head: t("columns.why"), width: "20rem", from: "lg", cell: (row) => row.reason },
      { key: "by", head: t("columns.by"), width: "10rem", from: "md", cell: (row) => row.by },
      {
        key: "since",
        head: (
          <>
            {t("columns.since")} <ZoneNote />
          </>
        ),
        width: "9rem",
        from: "sm",
        cell: (row) => <Time bare at={row.since} />,
      },
    ];
    return columns;
  }, [t, show]);
}
