"use client";
import { useLocale } from "next-intl";
import { cn } from "@/app/_ui/class-names";
import type { CronDialect } from "@/server/domain/pipeline/definition";
import { inWords } from "@/server/domain/schedule/in-words";

interface ScheduleWordsProps {
  expression: string;
  dialect: CronDialect;
  timezone: string;
  /** The zone under the words instead of beside them. */
  stacked?: boolean;
  className?: string;
}

/** A schedule as a sentence with its zone; the expression as written on hover. */
export function ScheduleWords({ expression, dialect, timezone, stacked, className }: ScheduleWordsProps) {
  const words = inWords(expression, dialect, useLocale());
  return (
    <span title={`${expression} · ${timezone}`} className={cn("min-w-0", stacked && "block", className)}>
      <span className={cn(stacked && "block truncate")}>{words}</span>
      <span className={cn("text-ink-3 text-meta", stacked ? "block truncate" : "ml-1.5")}>{timezone}</span>
    </span>
  );
}
