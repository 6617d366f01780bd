"use client";
import { cn } from "./class-names";
import { useNow } from "./clock";
import { spanText } from "./instant";

export interface DurationProps {
  /** Milliseconds, where it has ended. */
  ms?: number | null;
  /** When it began, where it may still go on: it then counts up until `until`. */
  since?: string | number | Date | null;
  until?: string | number | Date | null;
  className?: string;
}

const toMs = (at: string | number | Date) => new Date(at).getTime();

export function Duration(props: DurationProps) {
  if (props.since && !props.until && props.ms === undefined) return <Counting since={toMs(props.since)} className={props.className} />;
  const ms = props.ms ?? (props.since && props.until ? toMs(props.until) - toMs(props.since) : null);
  return <Span ms={ms} className={props.className} />;
}

function Counting({ since, className }: { since: number; className?: string }) {
  const now = useNow(1000);
  const passed = Math.max(0, now - since);
  return <Span ms={passed < 1000 ? passed : Math.floor(passed / 1000) * 1000} className={className} whole />;
}

function Span({ ms, className, whole }: { ms: number | null; className?: string; whole?: boolean }) {
  if (ms === null) return <span className={cn("text-ink-3", className)}>{"–"}</span>;
  const text = whole && ms < 60_000 ? `${Math.floor(ms / 1000)}s` : spanText(ms);
  return (
    <span title={`${Math.round(ms)} ms`} className={cn("whitespace-nowrap tabular-nums", className)}>
      {text}
    </span>
  );
}
