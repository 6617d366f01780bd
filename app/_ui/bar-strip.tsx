import Link from "next/link";
import { cn } from "./class-names";

export interface Bar {
  key: string;
  /** 0 to 1; the tallest of the strip is 1. */
  height: number;
  /** A CSS colour, such as `var(--state-failed)`. */
  color: string;
  /** So that bars are told apart without colour. */
  fill: "solid" | "hollow" | "hatched";
  /** A foot under the bar marks what is unhealthy. */
  foot?: boolean;
  label: string;
  href?: string;
}

export interface BarStripProps {
  bars: readonly Bar[];
  /** Places that the strip always has, so that strips under each other align; the newest stands right. */
  places?: number;
  /** The whole strip in words. */
  label: string;
  className?: string;
}

export function BarStrip({ bars, places = 20, label, className }: BarStripProps) {
  const shown = bars.slice(-places);
  const empty = Math.max(0, places - shown.length);
  return (
    <fieldset aria-label={label} className={cn("m-0 inline-flex h-6 min-w-0 items-end gap-px border-0 p-0 align-middle", className)}>
      {Array.from({ length: empty }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an empty place has no identity
        <span key={place} aria-hidden="true" className="h-px w-[5px] bg-line-strong" />
      ))}
      {shown.map((bar) => (
        <OneBar key={bar.key} bar={bar} />
      ))}
    </fieldset>
  );
}

function OneBar({ bar }: { bar: Bar }) {
  const inside = (
    <>
      <span
        className={cn(
          "w-full rounded-t-[1px]",
          bar.fill === "hollow" ? "border border-current border-b-0" : "bg-current",
          bar.fill === "hatched" && "hatch",
        )}
        style={{ height: `${Math.round(3 + Math.max(0, Math.min(1, bar.height)) * 15)}px` }}
      />
      <span className={cn("mt-px h-[3px] w-full", bar.foot ? "bg-current" : "bg-transparent")} />
    </>
  );
  const look = "flex h-6 w-[5px] flex-col justify-end hover:bg-hover";
  if (!bar.href) {
    return (
      <span title={bar.label} style={{ color: bar.color }} className={look}>
        {inside}
      </span>
    );
  }
  return (
    <Link
      prefetch={false}
      href={bar.href}
      title={bar.label}
      aria-label={bar.label}
      style={{ color: bar.color }}
      className={look}
      tabIndex={-1}
    >
      {inside}
    </Link>
  );
}
