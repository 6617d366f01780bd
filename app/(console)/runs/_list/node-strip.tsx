"use client";
import { useTranslations } from "next-intl";
import { colorOf } from "@/app/_status/look";
import { NODE_LOOKS } from "@/app/_status/node-states";
import { useStateWord } from "@/app/_status/state-badge";
import { cn } from "@/app/_ui/class-names";
import { sharesOf, totalsOf } from "./model/node-counts";

/** How far a run is: its nodes by state as one bar, and the count of those that are done. */
export function NodeStrip({ counts }: { counts: Readonly<Record<string, number>> }) {
  const t = useTranslations("runs");
  const word = useStateWord();
  const { done, all } = totalsOf(counts);
  const shares = sharesOf(counts);
  const parts = shares.map(({ state, count }) => `${count} ${word({ of: "node", state })}`).join(", ");
  const label = t("nodesLabel", { done, all, parts });
  return (
    <span role="img" aria-label={label} title={label} className="flex items-center gap-2.5">
      <span className="flex h-2 w-20 shrink-0 gap-px">
        {shares.map(({ state, count }) => {
          const look = NODE_LOOKS[state];
          return (
            <span
              key={state}
              style={{ color: colorOf(look), flexGrow: count }}
              className={cn(
                "min-w-[3px] basis-0 rounded-[1px]",
                look.fill === "hollow" ? "border border-current" : "bg-current",
                look.fill === "hatched" && "hatch",
                state === "SUCCESS" && "opacity-75",
              )}
            />
          );
        })}
      </span>
      <span aria-hidden="true" className="text-ink-2 text-meta tabular-nums">
        {t("nodesDone", { done, all })}
      </span>
    </span>
  );
}
