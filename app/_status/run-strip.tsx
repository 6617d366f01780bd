"use client";
import { useTranslations } from "next-intl";
import { BarStrip } from "@/app/_ui/bar-strip";
import { spanText } from "@/app/_ui/instant";
import type { RunState } from "@/server/domain/run/states";
import { colorOf } from "./look";
import { RUN_LOOKS } from "./run-states";

export interface StripRun {
  id: string;
  state: RunState;
  /** null while it has not begun. */
  durationMs: number | null;
}

export interface RunStripProps {
  /** Oldest first. */
  runs: readonly StripRun[];
  places?: number;
  className?: string;
}

/** The last runs as bars: the height is the duration against the longest shown, colour and fill are the state. */
export function RunStrip({ runs, places = 20, className }: RunStripProps) {
  const t = useTranslations("status");
  const shown = runs.slice(-places);
  const longest = Math.max(1, ...shown.map((run) => run.durationMs ?? 0));
  const label =
    shown.length === 0
      ? t("noRuns")
      : t("runsSummary", {
          total: shown.length,
          good: shown.filter((run) => run.state === "SUCCESS").length,
          bad: shown.filter((run) => RUN_LOOKS[run.state].unhealthy).length,
        });
  return (
    <BarStrip
      label={label}
      places={places}
      className={className}
      bars={shown.map((run) => {
        const look = RUN_LOOKS[run.state];
        const word = t(`run.${run.state}`);
        return {
          key: run.id,
          height: (run.durationMs ?? 0) / longest,
          // Most bars are successes: they step back, so that the others stand out.
          color: run.state === "SUCCESS" ? `color-mix(in oklab, ${colorOf(look)} 74%, var(--ground))` : colorOf(look),
          fill: look.fill,
          foot: look.unhealthy,
          label: run.durationMs === null ? word : `${word} · ${spanText(run.durationMs)}`,
          href: `/runs/${run.id}`,
        };
      })}
    />
  );
}
