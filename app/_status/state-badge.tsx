"use client";
import { useTranslations } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import { Tooltip } from "@/app/_ui/tooltip";
import type { NodeState, RunState } from "@/server/domain/run/states";
import { colorOf, type StateLook } from "./look";
import { NODE_LOOKS } from "./node-states";
import { RUN_LOOKS } from "./run-states";

/** A state and whose it is: the two lists share words and not all looks. */
export type StateOf = { of: "node"; state: NodeState } | { of: "run"; state: RunState };

export const lookOf = (it: StateOf): StateLook => (it.of === "node" ? NODE_LOOKS[it.state] : RUN_LOOKS[it.state]);

export function useStateWord(): (it: StateOf) => string {
  const t = useTranslations("status");
  return (it) => (it.of === "node" ? t(`node.${it.state}`) : t(`run.${it.state}`));
}

export type StateBadgeProps = StateOf & {
  /** Number of the retry, in the glyph of RETRYING. */
  retryNo?: number;
  size?: "sm" | "md" | "lg";
  /** With a tinted ground, for headers; plain in tables. */
  boxed?: boolean;
  className?: string;
};

const SIZE = { sm: "gap-1.5 text-meta", md: "gap-1.5 text-table", lg: "gap-2 text-body" } as const;

/** Glyph and word. The word is ink, so that a column of them stays calm; the glyph has the colour. */
export function StateBadge({ retryNo, size = "md", boxed, className, ...it }: StateBadgeProps) {
  const t = useTranslations("status");
  const word = useStateWord()(it);
  const look = lookOf(it);
  const Glyph = look.glyph;
  return (
    <Tooltip label={t(`hint.${it.state}`)}>
      <span
        style={{ color: colorOf(look) }}
        className={cn(
          "inline-flex min-w-0 max-w-full items-center whitespace-nowrap",
          SIZE[size],
          boxed && "tint h-6 rounded-sm border border-current/30 px-2 font-medium",
          boxed && it.state === "SKIPPED" && "border-dashed",
          className,
        )}
      >
        <Glyph size={size === "lg" ? 16 : 14} n={retryNo} className="shrink-0" />
        <span className={cn("min-w-0 truncate", !boxed && "text-ink")}>{word}</span>
      </span>
    </Tooltip>
  );
}

export type StateDotProps = StateOf & { retryNo?: number; size?: number; className?: string };

/** The glyph alone, its word for whoever cannot see it and on hover. */
export function StateDot({ retryNo, size = 14, className, ...it }: StateDotProps) {
  const word = useStateWord()(it);
  const look = lookOf(it);
  const Glyph = look.glyph;
  return (
    <span role="img" aria-label={word} title={word} style={{ color: colorOf(look) }} className={cn("inline-flex shrink-0", className)}>
      <Glyph size={size} n={retryNo} />
    </span>
  );
}
