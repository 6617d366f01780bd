"use client";
import { Progress as Radix } from "radix-ui";
import { cn } from "./class-names";

export interface ProgressProps {
  /** null while nobody knows how far it is. */
  value: number | null;
  max?: number;
  label: string;
  className?: string;
}

export function Progress({ value, max = 100, label, className }: ProgressProps) {
  const share = value === null ? 0.3 : Math.min(1, Math.max(0, value / max));
  return (
    <Radix.Root value={value} max={max} aria-label={label} className={cn("h-1 w-full overflow-hidden rounded-full bg-selected", className)}>
      <Radix.Indicator
        className={cn("h-full origin-left bg-ink-2 transition-transform duration-200", value === null && "animate-pulse")}
        style={{ transform: `scaleX(${share})` }}
      />
    </Radix.Root>
  );
}
