"use client";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { useNow, useZone } from "@/app/_ui/clock";
import { shortText } from "@/app/_ui/instant";
import { Tooltip } from "@/app/_ui/tooltip";
import type { LiveState } from "./frame-data";

const COLORS = { live: "text-state-success", paused: "text-state-paused", offline: "text-state-failed" } as const;

/** Whether what is on the screen follows by itself: a full disc, two bars, a broken ring. */
export function LiveMark({ live, onToggle }: { live: LiveState; onToggle?: () => void }) {
  const t = useTranslations("frame.live");
  const { zone } = useZone();
  const now = useNow(60_000);
  const word =
    live.kind === "offline"
      ? live.sinceMs === null
        ? t("connecting")
        : t("offlineSince", { time: shortText(live.sinceMs, now, zone, "minute") })
      : t(live.kind);
  const connecting = live.kind === "offline" && live.sinceMs === null;
  const color = connecting ? "text-ink-3" : COLORS[live.kind];
  const inside = (
    <>
      <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true" className={cn("shrink-0", color)}>
        {live.kind === "live" ? <circle cx="6" cy="6" r="4" fill="currentColor" /> : null}
        {live.kind === "paused" ? <path d="M3.5 2v8M8.5 2v8" stroke="currentColor" strokeWidth="2.4" /> : null}
        {live.kind === "offline" ? (
          <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="2.2" strokeDasharray="4.2 2.1" />
        ) : null}
      </svg>
      <span className={cn("whitespace-nowrap", live.kind === "live" || connecting ? "text-ink-3 max-sm:sr-only" : color)}>{word}</span>
    </>
  );
  const look = "inline-flex h-7 items-center gap-1.5 rounded-md px-1.5 text-meta";
  return (
    <Tooltip label={t(connecting ? "connectingHint" : `${live.kind}Hint`)}>
      {onToggle && live.kind !== "offline" ? (
        <button type="button" aria-pressed={live.kind === "paused"} onClick={onToggle} className={cn(look, "hover:bg-hover")}>
          {inside}
        </button>
      ) : (
        <span role="status" className={look}>
          {inside}
        </span>
      )}
    </Tooltip>
  );
}
