import { availableParallelism, loadavg } from "node:os";
import { until } from "../fixtures/until";
import { check, type Tally, type Violation } from "./checks/check";
import { Random } from "./rig/random";
import type { Backend, Rig } from "./rig/rig";
import type { Measure, Row, Stage } from "./rows/row";

export interface PlayOptions {
  readonly isShort: boolean;
  readonly seed: number;
}

export interface Played {
  readonly row: string;
  readonly title: string;
  readonly backend: Backend;
  readonly seed: number;
  readonly verdict: "passed" | "failed" | "impossible";
  readonly why: string | null;
  readonly tookMs: number;
  readonly measures: readonly Measure[];
  readonly violations: readonly Violation[];
  readonly unmet: readonly { readonly what: string; readonly evidence?: unknown }[];
  readonly notes: readonly string[];
  readonly tally: Tally | null;
  readonly load: number;
}

const FULL_STOP_MS = 60_000;
const SHORT_STOP_MS = 14_000;
const QUIET_MS = 120_000;
/**
 * In the short version a promise of time fails only when it is broken by this much: it runs in every `npm test`, on machines
 * that others load, where a measured second is not one of the product's. The full version holds the promise itself.
 */
const SHORT_TOLERANCE = 2;

/** One row on one rig: steady load, the fault, all healed, all at rest, and then the checker. */
export async function play(rig: Rig, row: Row, options: PlayOptions): Promise<Played> {
  const startedMs = performance.now();
  const measures: Measure[] = [];
  const unmet: { what: string; evidence?: unknown }[] = [];
  const notes: string[] = [];
  const stage: Stage = {
    rig,
    random: new Random(options.seed * 1_000 + Number(row.id.slice(1))),
    stopMs: options.isShort ? SHORT_STOP_MS : FULL_STOP_MS,
    isShort: options.isShort,
    measure: (name, ms, limitMs) => {
      measures.push({ name, ms: Math.round(ms), limitMs: limitMs ?? null });
      if (limitMs !== undefined && ms > limitMs * (options.isShort ? SHORT_TOLERANCE : 1)) {
        unmet.push({ what: `${name}: ${Math.round(ms)} ms, promised ${limitMs}` });
      }
    },
    expect: (holds, what, evidence) => {
      if (!holds) unmet.push(evidence === undefined ? { what } : { what, evidence });
    },
    note: (text) => notes.push(text),
  };
  const done = (verdict: Played["verdict"], more: Partial<Played> = {}): Played => ({
    row: row.id,
    title: row.title,
    backend: rig.backend,
    seed: options.seed,
    verdict,
    why: null,
    tookMs: Math.round(performance.now() - startedMs),
    measures,
    violations: [],
    unmet,
    notes,
    tally: null,
    load: Math.round(((loadavg()[0] ?? 0) / availableParallelism()) * 10) / 10,
    ...more,
  });
  const why = row.impossible?.() ?? null;
  if (why !== null) return done("impossible", { why });
  const since = await rig.databaseNow();
  rig.load.forget();
  rig.receiver.forget();
  rig.ownEnds();
  try {
    rig.load.start();
    await steady(rig);
    await row.run(stage);
  } catch (error) {
    unmet.push({ what: "the row came to its end", evidence: error instanceof Error ? error.message : String(error) });
  }
  try {
    const checked = await atRest(rig, since, stage);
    const isClean = checked.violations.length === 0 && unmet.length === 0;
    return done(isClean ? "passed" : "failed", checked);
  } catch (error) {
    unmet.push({ what: "all is whole and at rest again", evidence: error instanceof Error ? error.message : String(error) });
    return done("failed");
  }
}

/** The load has begun to end runs. */
const steady = (rig: Rig): Promise<unknown> =>
  until(
    "the load flows",
    async () => {
      const ids = rig.load.submissions.flatMap(({ runId }) => (runId === null ? [] : [runId]));
      const rows = await rig.ask<{ n: number }>`
        select count(*)::int as n from runs where id = any (${ids as unknown as string}::uuid[]) and state = 'SUCCESS'`;
      return (rows?.[0]?.n ?? 0) >= 3;
    },
    60_000,
  );

/** Heals, lets everything that was asked for end, and reads what has become of it. */
async function atRest(rig: Rig, since: Date, stage: Stage): Promise<{ violations: readonly Violation[]; tally: Tally }> {
  const healedMs = performance.now();
  rig.load.stop();
  await rig.heal();
  await rig.load.answered();
  const end = await rig.databaseNow();
  await until("all runs have ended, or wait for a person", () => isQuiet(rig, since, end), QUIET_MS, 100).catch(() => undefined);
  stage.measure("at rest after healing", performance.now() - healedMs);
  return check(rig, { since, until: end });
}

async function isQuiet(rig: Rig, since: Date, end: Date): Promise<boolean> {
  const rows = await rig.ask<{ n: number }>`
    select count(*)::int as n from runs where state in ('PENDING','RUNNING') and created_at >= ${since} and created_at <= ${end}`;
  return rows?.[0]?.n === 0;
}
