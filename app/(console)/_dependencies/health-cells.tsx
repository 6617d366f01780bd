"use client";
import { useLocale } from "next-intl";
import { spanText } from "@/app/_ui/instant";

interface Rated {
  readonly calls: number;
  readonly errors: number;
}

/** The share of calls that failed: `–` without calls, and never rounded to nothing while one has failed. */
export function useRateText(): (health: Rated | null) => string {
  const locale = useLocale();
  const format = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  return (health) => {
    if (health === null || health.calls === 0) return "–";
    const share = health.errors / health.calls;
    return share > 0 && share < 0.0005 ? `< ${format.format(0.001)}` : format.format(share);
  };
}

/** A duration, beside it in grey what it was before. */
export function MsPair({ now, before }: { now: number | null | undefined; before: number | null | undefined }) {
  return (
    <span className="whitespace-nowrap tabular-nums">
      {now === null || now === undefined ? "–" : spanText(now)}
      <span className="ml-2 text-ink-3 text-meta">{before === null || before === undefined ? "–" : spanText(before)}</span>
    </span>
  );
}
