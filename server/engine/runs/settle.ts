import { storableReport } from "@/server/domain/run/storable";
import type { AttemptReport, Settlement } from "@/server/domain/run/work";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { announce, type Committed } from "./commit-runs";
import { activateNext } from "./give-turns";
import type { SettleInput, SettleResult } from "./settle-input";
import { settleLocked } from "./settle-locked";
import { type SettledByMemory, settleRemembered } from "./settle-remembered";

export interface Settling extends SettleResult {
  /** Reports that could not be settled, though others of the same call are. */
  readonly left: { readonly reports: readonly AttemptReport[]; readonly error: unknown } | null;
  /** Rings, live ticks and the next turns of limited pipelines; it never rejects, and the next settle need not wait for it. */
  readonly told: Promise<void>;
}

/**
 * Folds whatever a worker has to report into one commit: states, events, error events, register, successors. A report is
 * judged by its token alone, so a worker whose lease is over may still report, but takes nothing new.
 */
export async function settle(ctx: Ctx, input: SettleInput): Promise<SettleResult> {
  const { left, told, settlements, handedOn } = await settleReports(ctx, input);
  await told;
  if (left) throw left.error;
  return { settlements, handedOn };
}

/** The same for a worker that goes on at once: what has to be told of the commit is told meanwhile. */
export async function settleReports(ctx: Ctx, input: SettleInput): Promise<Settling> {
  if (input.reports.length === 0) return { settlements: [], handedOn: [], left: null, told: Promise.resolve() };
  const reports = input.reports.map(storableReport);
  const { memory } = input;
  if (!memory) {
    const { committed, ...result } = await inTransaction(ctx, (tx) => settleLocked(ctx, tx, { ...input, reports }));
    return { ...result, left: null, told: tell(ctx, committed) };
  }
  const first = await settleRemembered(ctx, { ...input, reports }, memory);
  return finishLocked(ctx, { ...input, reports }, input.reports, first);
}

/** What the memory could not settle goes under locks; where that fails, the rest is settled all the same. */
async function finishLocked(ctx: Ctx, input: SettleInput, given: readonly AttemptReport[], first: SettledByMemory): Promise<Settling> {
  const rest = input.reports.filter((report) => !first.settled.has(report));
  const told = first.settled.size > 0 ? tell(ctx, first.committed) : Promise.resolve();
  if (rest.length === 0) return { settlements: input.reports.map(applied), handedOn: first.handedOn, left: null, told };
  for (const { runId } of rest) input.memory?.forget(runId);
  const used = first.handedOn.length;
  const free = Object.fromEntries(Object.entries(input.free).map(([group, slots]) => [group, Math.max(0, slots - used)]));
  try {
    const second = await inTransaction(ctx, (tx) => settleLocked(ctx, tx, { ...input, reports: rest, free }));
    const settlements = input.reports.map((report) => second.settlements[rest.indexOf(report)] ?? applied(report));
    const handedOn = [...first.handedOn, ...second.handedOn];
    return { settlements, handedOn, left: null, told: Promise.all([told, tell(ctx, second.committed)]).then(() => undefined) };
  } catch (error) {
    if (first.settled.size === 0) throw error;
    const left = { reports: given.filter((_, index) => !first.settled.has(input.reports[index] as AttemptReport)), error };
    return { settlements: [...first.settled].map(applied), handedOn: first.handedOn, left, told };
  }
}

const applied = ({ runId, key, token }: AttemptReport): Settlement => ({ runId, key, token, result: "applied" });

/** Losing this costs latency alone: the poll and the leader's sweeps are the net. */
async function tell(ctx: Ctx, committed: Committed): Promise<void> {
  try {
    await announce(ctx, committed);
    await activateNext(ctx, committed.endedPipelineIds);
  } catch (error) {
    ctx.log.warn({ error: String(error) }, "what a settle has made ready could not be told");
  }
}
