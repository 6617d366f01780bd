"use client";
import { ToggleGroup as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./class-names";

export interface SegmentedProps<V extends string = string> {
  value: V;
  onValue: (value: V) => void;
  options: readonly { value: V; label: ReactNode; icon?: ReactNode; name?: string; disabled?: boolean }[];
  label: string;
  className?: string;
}

/** Faces of one thing: graph or table, canvas or sequence. */
export function Segmented<V extends string = string>({ value, onValue, options, label, className }: SegmentedProps<V>) {
  return (
    <Radix.Root
      type="single"
      value={value}
      aria-label={label}
      onValueChange={(next) => {
        if (next !== "") onValue(next as V);
      }}
      className={cn("inline-flex h-7 shrink-0 rounded-md border border-line-strong bg-sunk p-px pointer-coarse:h-10", className)}
    >
      {options.map((option) => (
        <Radix.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled}
          aria-label={option.name}
          title={option.name}
          className="inline-flex items-center gap-1.5 rounded-sm border border-transparent px-2 text-ink-2 text-table hover:text-ink disabled:opacity-45 data-[state=on]:border-line-strong data-[state=on]:bg-raised data-[state=on]:font-medium data-[state=on]:text-ink"
        >
          {option.icon}
          {option.label}
        </Radix.Item>
      ))}
    </Radix.Root>
  );
}
