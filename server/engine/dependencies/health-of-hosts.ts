import type { Executor } from "@/db/client";
import { readCalls } from "@/db/statements/counting/dependency-calls";
import { addHistograms, type Histogram, quantileMs } from "@/server/domain/dependency/histogram";

export interface Health {
  readonly calls: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface HostHealth {
  /** While the burst went on, in the minutes that are kept; null where none is. */
  readonly during: Health | null;
  /** The hour before it. */
  readonly before: Health | null;
}

interface Counted {
  readonly calls: number;
  readonly errors: number;
  readonly buckets: Histogram;
}

/** Calls of several minutes or hours as one; null where there were none. */
export function healthOf(rows: readonly Counted[]): Health | null {
  if (rows.length === 0) return null;
  const buckets = rows.reduce<Histogram>((sum, row) => addHistograms(sum, row.buckets), {});
  return {
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    errors: rows.reduce((sum, { errors }) => sum + errors, 0),
    p50Ms: quantileMs(buckets, 0.5),
    p95Ms: quantileMs(buckets, 0.95),
    p99Ms: quantileMs(buckets, 0.99),
  };
}

const HOUR_MS = 3_600_000;
const MOST_HOSTS = 10;

/** How the hosts behind a burst did while it went on, and in the hour before (EXC-7). */
export async function healthOfHosts<Each extends { readonly value: string }>(
  db: Executor,
  projectId: string,
  hosts: readonly Each[],
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<readonly (Each & HostHealth)[]> {
  const shown = hosts.slice(0, MOST_HOSTS);
  const before = new Date(from.getTime() - HOUR_MS);
  const last = new Date(Math.min(to.getTime(), from.getTime() + HOUR_MS));
  const names = shown.map(({ value }) => ({ kind: "host", name: value }));
  const rows = await readCalls(db, projectId, names, { grain: "minute", from: before, to: last });
  const firstMinute = Math.floor(from.getTime() / 60_000) * 60_000;
  return shown.map((each) => {
    const own = rows.filter(({ name }) => name === each.value);
    return {
      ...each,
      during: healthOf(own.filter(({ at }) => at.getTime() >= firstMinute)),
      before: healthOf(own.filter(({ at }) => at.getTime() < firstMinute)),
    };
  });
}
