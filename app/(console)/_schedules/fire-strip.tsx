"use client";
import { useTranslations } from "next-intl";
import { VERDICT_LOOKS } from "@/app/_status/fire-verdicts";
import { colorOf } from "@/app/_status/look";
import { BarStrip } from "@/app/_ui/bar-strip";
import { useNow, useZone } from "@/app/_ui/clock";
import { offsetText, shortText, spanText } from "@/app/_ui/instant";
import type { FireView } from "./views";

interface FireStripProps {
  /** Oldest first. */
  fires: readonly FireView[];
  places: number;
  label: string;
}

/** The ledger as bars: what ran is low and steps back, all else is high. */
export function FireStrip({ fires, places, label }: FireStripProps) {
  const t = useTranslations("schedules");
  const { zone } = useZone();
  const now = useNow(60_000);
  return (
    <BarStrip
      label={label}
      places={places}
      bars={fires.map((fire) => {
        const look = VERDICT_LOOKS[fire.verdict];
        const ms = fire.fireAt.getTime();
        const at = `${shortText(ms, now, zone, "second")} ${offsetText(ms, zone)}`;
        const late = fire.lateMs >= 1000 ? ` · ${spanText(fire.lateMs)}` : "";
        return {
          key: fire.id,
          height: fire.verdict === "ran" ? 0.45 : 1,
          color: fire.verdict === "ran" ? `color-mix(in oklab, ${colorOf(look)} 74%, var(--ground))` : colorOf(look),
          fill: look.fill,
          foot: look.unhealthy,
          label: `${at} · ${t(`verdict.${fire.verdict}`)}${late}`,
          ...(fire.runId === null ? {} : { href: `/runs/${fire.runId}` }),
        };
      })}
    />
  );
}
