"use client";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { Tooltip } from "@/app/_ui/tooltip";
import type { FireVerdict } from "@/server/domain/schedule/verdict";
import { ChevronOverLine, ClockFace, CrossedSquare, ReturningArc, Tick } from "./glyphs";
import { colorOf, type StateLook } from "./look";

/** A fire that ran steps back; one that did not stands out. */
export const VERDICT_LOOKS: Record<FireVerdict, StateLook> = {
  ran: { glyph: Tick, token: "state-success", fill: "solid", unhealthy: false, moving: false },
  late: { glyph: ClockFace, token: "state-timeout", fill: "hatched", unhealthy: false, moving: false },
  caught_up: { glyph: ReturningArc, token: "state-retrying", fill: "hatched", unhealthy: false, moving: false },
  skipped: { glyph: ChevronOverLine, token: "state-skipped", fill: "hollow", unhealthy: false, moving: false },
  missed: { glyph: CrossedSquare, token: "state-failed", fill: "solid", unhealthy: true, moving: false },
};

/** What became of a fire: glyph and word. */
export function VerdictBadge({ verdict, className }: { verdict: FireVerdict; className?: string }) {
  const t = useTranslations("schedules");
  const look = VERDICT_LOOKS[verdict];
  const Glyph = look.glyph;
  return (
    <Tooltip label={t(`verdictHint.${verdict}`)}>
      <span
        style={{ color: colorOf(look) }}
        className={cn("inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap text-table", className)}
      >
        <Glyph size={14} className="shrink-0" />
        <span className="min-w-0 truncate text-ink">{t(`verdict.${verdict}`)}</span>
      </span>
    </Tooltip>
  );
}
