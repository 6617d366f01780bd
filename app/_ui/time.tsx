"use client";
import { useTranslations } from "next-intl";
import { cn } from "./class-names";
import { useNow, useZone } from "./clock";
import { fullText, offsetText, type Precision, relativeTo, shortText } from "./instant";
import { Tooltip } from "./tooltip";

export interface TimeProps {
  /** ISO text or milliseconds; null prints `never` or the given word. */
  at: string | number | Date | null | undefined;
  /** "3 min ago" with the instant on hover, instead of the instant with the whole of it on hover. */
  relative?: boolean;
  precision?: Precision;
  /** Leaves the date in, also today's. */
  full?: boolean;
  /** Leaves the zone out where the column's head or the page already names it. */
  bare?: boolean;
  /** What stands where there is no instant. */
  none?: string;
  className?: string;
}

/** An instant in the zone that the console is set to. Hover or focus shows it whole, in that zone and in UTC. */
export function Time({ at, relative, precision = "second", full, bare, none, className }: TimeProps) {
  const t = useTranslations("ui");
  const { zone } = useZone();
  const now = useNow(relative ? 1000 : 60_000);
  const atMs = at === null || at === undefined ? Number.NaN : new Date(at).getTime();
  if (Number.isNaN(atMs)) return <span className={cn("text-ink-3", className)}>{none ?? t("never")}</span>;

  const offset = offsetText(atMs, zone);
  const away = relativeTo(atMs, now);
  const text = relative ? t(away.key, { n: away.n }) : full ? fullText(atMs, zone, precision) : shortText(atMs, now, zone, precision);
  const exact = precision === "ms" ? "ms" : "second";

  return (
    <Tooltip
      label={
        <span className="grid grid-cols-[auto_auto] gap-x-3 tabular-nums">
          <span>{fullText(atMs, zone, exact)}</span>
          <span>
            {zone} {zone === "UTC" ? "" : `(${offset})`}
          </span>
          {zone === "UTC" ? null : (
            <>
              <span>{fullText(atMs, "UTC", exact)}</span>
              <span>{"UTC"}</span>
            </>
          )}
          {relative ? null : <span className="col-span-2">{t(away.key, { n: away.n })}</span>}
        </span>
      }
    >
      <time dateTime={new Date(atMs).toISOString()} className={cn("whitespace-nowrap tabular-nums", className)}>
        {text}
        {bare || relative ? null : <span className="ml-1 text-ink-3 text-meta">{offset}</span>}
      </time>
    </Tooltip>
  );
}

/** For the head of a column of bare times: which zone they are in. */
export function ZoneNote() {
  const { zone } = useZone();
  const now = useNow(60_000);
  return <span className="font-normal text-ink-3">{offsetText(now, zone)}</span>;
}
