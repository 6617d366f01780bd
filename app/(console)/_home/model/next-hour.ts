import type { NextFire } from "../views";

export const MINUTES = 60;

export interface MinuteOfFires {
  /** 0 is the minute that begins now. */
  readonly at: number;
  readonly fires: readonly NextFire[];
  /** One of them belongs to a pipeline that is broken now. */
  readonly broken: boolean;
}

/** Fires by the minute in which they come; minutes without one are left out. */
export function firesByMinute(fires: readonly NextFire[], nowMs: number, broken: ReadonlySet<string>): MinuteOfFires[] {
  const minutes = new Map<number, NextFire[]>();
  for (const fire of fires) {
    const at = Math.floor((fire.fireAt.getTime() - nowMs) / 60_000);
    if (at < 0 || at >= MINUTES) continue;
    minutes.set(at, [...(minutes.get(at) ?? []), fire]);
  }
  return [...minutes]
    .sort(([a], [b]) => a - b)
    .map(([at, own]) => ({ at, fires: own, broken: own.some(({ pipeline }) => broken.has(pipeline.id)) }));
}
