"use client";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { axisTop, linePath, nearestPoint } from "./chart-scale";
import { cn } from "./class-names";

export interface ChartLine {
  readonly key: string;
  readonly label: string;
  /** A CSS colour, such as `var(--ink)`. */
  readonly color: string;
  /** So that lines are told apart without colour: an SVG dash pattern. */
  readonly dash?: string;
  /** One for each point; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface LineChartProps {
  /** The whole chart in words. */
  label: string;
  lines: readonly ChartLine[];
  /** The points' names, such as their times, the oldest first. */
  points: readonly string[];
  format: (value: number) => string;
  className?: string;
}

const STEPS = [1, 0.75, 0.5, 0.25, 0] as const;

/** Curves over time. Pointer or arrow keys read a point off; the same numbers belong into a table beside it. */
export function LineChart({ label, lines, points, format, className }: LineChartProps) {
  const [at, setAt] = useState<number | null>(null);
  const top = axisTop(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const last = points.length - 1;
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setAt(nearestPoint((event.clientX - left) / width, points.length));
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(last, (at ?? last) + by)));
  };
  return (
    <figure className={cn("m-0 flex min-w-0 flex-col gap-2", className)}>
      <Legend lines={lines} at={at} point={at === null ? undefined : points[at]} format={format} />
      <div className="grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-2">
        <div aria-hidden="true" className="flex flex-col justify-between py-px text-right text-ink-3 text-meta leading-none tabular-nums">
          {STEPS.map((step) => (
            <span key={step}>{format(top * step)}</span>
          ))}
        </div>
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the points off
          tabIndex={0}
          role="img"
          aria-label={label}
          className="relative h-44 border-line-strong border-b border-l"
          onPointerMove={onMove}
          onPointerLeave={() => setAt(null)}
          onKeyDown={onKey}
          onBlur={() => setAt(null)}
        >
          <Curves lines={lines} top={top} />
          {at === null ? null : (
            <span
              aria-hidden="true"
              style={{ left: `${(at / Math.max(1, last)) * 100}%` }}
              className="pointer-events-none absolute inset-y-0 border-edge border-l"
            />
          )}
        </div>
        <div aria-hidden="true" className="col-start-2 mt-1 flex justify-between text-ink-3 text-meta tabular-nums">
          {[0, Math.round(last / 2), last].map((index) => (
            <span key={index}>{points[index]}</span>
          ))}
        </div>
      </div>
    </figure>
  );
}

function Curves({ lines, top }: { lines: readonly ChartLine[]; top: number }) {
  return (
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" className="absolute inset-0 size-full overflow-visible">
      {[25, 50, 75].map((y) => (
        <line key={y} x1="0" x2="100" y1={y} y2={y} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      ))}
      {lines.map(({ key, color, dash, values }) => (
        <path
          key={key}
          d={linePath(values, top)}
          fill="none"
          stroke={color}
          strokeWidth="1.75"
          strokeLinecap="round"
          strokeLinejoin="round"
          strokeDasharray={dash}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  );
}

interface LegendProps extends Pick<LineChartProps, "lines" | "format"> {
  at: number | null;
  point: string | undefined;
}

function Legend({ lines, at, point, format }: LegendProps) {
  return (
    <figcaption aria-live="polite" className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 text-meta">
      {lines.map(({ key, label, color, dash, values }) => {
        const value = at === null ? undefined : values[at];
        return (
          <span key={key} className="inline-flex items-center gap-1.5">
            <svg viewBox="0 0 18 4" width="18" height="4" aria-hidden="true">
              <line x1="1" x2="17" y1="2" y2="2" stroke={color} strokeWidth="2" strokeDasharray={dash} strokeLinecap="round" />
            </svg>
            <span className="text-ink-2">{label}</span>
            {at === null ? null : <span className="tabular-nums">{value === null || value === undefined ? "–" : format(value)}</span>}
          </span>
        );
      })}
      {point === undefined ? null : <span className="ml-auto text-ink-3 tabular-nums">{point}</span>}
    </figcaption>
  );
}
