import type { Tx } from "@/db/client";
import { holdWorker } from "@/db/statements/state/hold-worker";
import type { RunEvent } from "@/server/domain/run/model";
import { storableReport } from "@/server/domain/run/storable";
import type { AttemptReport, ClaimedNode, Settlement, WorkerLease } from "@/server/domain/run/work";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { announce, type Committed, writeRuns } from "./commit-runs";
import { activateNext } from "./give-turns";
import { claimedNodes, handOn, type Taken } from "./hand-on";
import { type LateReport, recordLate } from "./late-reports";
import { feed, openRuns } from "./open-run";

export interface SettleInput {
  readonly worker: WorkerLease;
  readonly reports: readonly AttemptReport[];
  /** Slots that are free once these reports are settled, by group; empty when the worker takes nothing new. */
  readonly free: Readonly<Record<string, number>>;
}

export interface SettleResult {
  /** In the order of the reports. */
  readonly settlements: readonly Settlement[];
  /** Nodes that this worker has taken in the same commit: execute them. */
  readonly handedOn: readonly ClaimedNode[];
}

interface Settled extends SettleResult {
  readonly committed: Committed;
}

/**
 * Folds whatever a worker has to report into one commit: states, events, error events, register, successors. A report is
 * judged by its token alone, so a worker whose lease is over may still report, but takes nothing new.
 */
export async function settle(ctx: Ctx, input: SettleInput): Promise<SettleResult> {
  if (input.reports.length === 0) return { settlements: [], handedOn: [] };
  const reports = input.reports.map(storableReport);
  const { settlements, handedOn, committed } = await inTransaction(ctx, (tx) => settleLocked(ctx, tx, { ...input, reports }));
  await announce(ctx, committed);
  await activateNext(ctx, committed.endedPipelineIds);
  return { settlements, handedOn };
}

async function settleLocked(ctx: Ctx, tx: Tx, { worker, reports, free }: SettleInput): Promise<Settled> {
  const lease = await holdWorker(tx, worker);
  const { runs, now } = await openRuns(
    tx,
    reports.map((report) => report.runId),
  );
  const told = { actor: { kind: "worker", id: worker.id, label: worker.id } } as const;
  const late: LateReport[] = [];
  const settlements = reports.map((report): Settlement => {
    const open = runs.get(report.runId);
    const output = report.kind === "succeeded" ? report.output : undefined;
    const decision = open ? feed(open, eventOf(report, ctx.random()), now, { ...told, report, output }) : null;
    const applied = decision?.kind === "applied";
    if (open && decision && !applied) late.push({ open, report, reason: decision.reason });
    return { runId: report.runId, key: report.key, token: report.token, result: applied ? "applied" : "superseded" };
  });
  const repeated = await recordLate(tx, late, told);
  const taken: Taken[] = lease ? handOn(ctx, [...runs.values()], reports, { worker, free, now, fingerprint: lease.fingerprint }) : [];
  const committed = await writeRuns(ctx, tx, [...runs.values()], now);
  return {
    settlements: settlements.map((settlement, index) =>
      isRepeated(repeated, reports[index]) ? { ...settlement, result: "applied" } : settlement,
    ),
    handedOn: await claimedNodes(tx, taken, now),
    committed,
  };
}

const isRepeated = (repeated: ReadonlySet<AttemptReport>, report: AttemptReport | undefined) =>
  report !== undefined && repeated.has(report);

function eventOf(report: AttemptReport, jitter: number): RunEvent {
  const { key, token } = report;
  switch (report.kind) {
    case "succeeded":
      return { kind: "succeeded", key, token };
    case "failed":
      return { kind: "attemptFailed", key, token, failure: report.failure, jitter };
    case "timedOut":
      return { kind: "attemptTimedOut", key, token, failure: report.failure, jitter };
    case "handedBack":
      return { kind: "handedBack", key, token, begun: report.times.executingAt !== null };
  }
}
