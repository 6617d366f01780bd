import type { Counts } from "./counts";

/** More than so many of one code within a minute open a card (EXC-7). */
export const BURST_EVENTS = 50;
export const BURST_WINDOW_MS = 60_000;
/** A burst is over when no minute has been one for so long. */
export const QUIET_MS = 300_000;
/** A card keeps the curve of its newest minutes; what came before stands in its total. */
export const MOST_MINUTES = 240;

export interface MinuteCount {
  /** Its start, ISO. */
  readonly minute: string;
  readonly events: number;
}

export interface Burst {
  readonly total: number;
  readonly peak: number;
  readonly minutes: readonly MinuteCount[];
  readonly counts: Counts;
  /** When a minute was last above the bound. */
  readonly burstAt: Date;
}

/** The burst with the minutes of a batch added; it goes on while a minute is above the bound. */
export function addMinutes(burst: Burst, batch: readonly MinuteCount[]): Burst {
  if (batch.length === 0) return burst;
  const minutes = new Map(burst.minutes.map(({ minute, events }) => [minute, events]));
  for (const { minute, events } of batch) minutes.set(minute, (minutes.get(minute) ?? 0) + events);
  const sorted = [...minutes].map(([minute, events]) => ({ minute, events })).sort((a, b) => (a.minute < b.minute ? -1 : 1));
  const above = sorted.filter(({ minute, events }) => events > BURST_EVENTS && batch.some((each) => each.minute === minute)).at(-1);
  const aboveMs = above ? Date.parse(above.minute) + BURST_WINDOW_MS : 0;
  return {
    ...burst,
    total: burst.total + batch.reduce((sum, { events }) => sum + events, 0),
    peak: Math.max(burst.peak, ...sorted.map(({ events }) => events)),
    minutes: sorted.slice(-MOST_MINUTES),
    burstAt: new Date(Math.max(aboveMs, burst.burstAt.getTime())),
  };
}

export const isOver = (burst: Pick<Burst, "burstAt">, countedUntil: Date): boolean =>
  countedUntil.getTime() - burst.burstAt.getTime() >= QUIET_MS;
