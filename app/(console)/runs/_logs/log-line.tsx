"use client";
import { memo } from "react";
import { cn } from "@/app/_ui/class-names";
import { useZone } from "@/app/_ui/clock";
import { fullText } from "@/app/_ui/instant";
import { type AnsiColor, parseAnsi } from "./model/ansi";
import { markSpans } from "./model/log-search";
import type { NumberedLine } from "./model/log-tail";

/** Terminal colours in shades that reach the contrast of text in both themes. */
const COLORS: Record<AnsiColor, string> = {
  black: "text-ink-3",
  red: "text-state-failed",
  green: "text-state-success",
  yellow: "text-state-retrying",
  blue: "text-state-running",
  magenta: "text-state-approval",
  cyan: "text-state-queued",
  white: "text-ink",
};

interface LogLineProps {
  line: NumberedLine;
  /** null where it is not known which line of the log it is. */
  no: number | null;
  query: string;
  current: boolean;
  wrap: boolean;
  times: boolean;
}

/** One line: text alone, whatever a task has written. */
export const LogLineRow = memo(function LogLineRow({ line, no, query, current, wrap, times }: LogLineProps) {
  const { zone } = useZone();
  const spans = markSpans(parseAnsi(line.text), query);
  const atMs = Date.parse(line.at);
  return (
    <div
      data-stream={line.stream}
      className={cn(
        "flex min-h-5 items-start border-transparent border-l-2 pr-3 font-mono text-meta leading-5",
        line.stream === "stderr" && "border-state-failed",
        line.stream === "system" && "border-line-strong text-ink-3 italic",
        current && "bg-selected",
      )}
    >
      <span aria-hidden="true" className={cn("shrink-0 select-none pr-3 text-right text-ink-3", no !== null && "w-12")}>
        {no}
      </span>
      {times ? (
        <span className="mr-3 shrink-0 select-none text-ink-3">{Number.isNaN(atMs) ? "" : fullText(atMs, zone, "ms").slice(11)}</span>
      ) : null}
      <span className={cn("min-w-0 flex-1", wrap ? "whitespace-pre-wrap break-words [overflow-wrap:anywhere]" : "whitespace-pre")}>
        {spans.map((span, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a span of a fixed line is its place
            key={index}
            className={cn(
              span.color && COLORS[span.color],
              span.bold && "font-semibold",
              span.dim && "opacity-75",
              span.italic && "italic",
              span.underline && "underline underline-offset-2",
              span.inverse && "bg-ink text-panel",
              span.found && "bg-ink text-panel",
            )}
          >
            {span.text}
          </span>
        ))}
      </span>
    </div>
  );
});
