import type { Tx } from "@/db/client";
import { holdWorker } from "@/db/statements/state/hold-worker";
import { limitedGroups } from "@/db/statements/state/limited-groups";
import type { AttemptReport, Settlement } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { type Committed, writeRuns } from "./commit-runs";
import { claimedNodes, handOn, type Taken } from "./hand-on";
import { type LateReport, recordLate } from "./late-reports";
import { feed, openRuns } from "./open-run";
import { eventOf } from "./report-event";
import { hasFailed, routed, routingFor } from "./route-event";
import type { SettleInput, SettleResult } from "./settle-input";

export interface Settled extends SettleResult {
  readonly committed: Committed;
}

/**
 * Settles under the locks of the runs: what a worker's memory could not decide on, or was too old for. Whatever comes too late
 * is recorded here.
 */
export async function settleLocked(ctx: Ctx, tx: Tx, { worker, reports, free }: SettleInput): Promise<Settled> {
  const lease = await holdWorker(tx, worker);
  const { runs, now } = await openRuns(
    tx,
    reports.map((report) => report.runId),
  );
  const told = { actor: { kind: "worker", id: worker.id, label: worker.id } } as const;
  const failing = reports.map((report) => ({ hasFailed: hasFailed(report), projectId: runs.get(report.runId)?.row.projectId }));
  const routing = await routingFor(ctx, tx, failing);
  const late: LateReport[] = [];
  const settlements = reports.map((report): Settlement => {
    const open = runs.get(report.runId);
    const output = report.kind === "succeeded" ? report.output : undefined;
    const decision = open ? feed(open, routed(eventOf(report, ctx.random()), open, routing), now, { ...told, report, output }) : null;
    const applied = decision?.kind === "applied";
    if (open && decision && !applied) late.push({ open, report, reason: decision.reason });
    return { runId: report.runId, key: report.key, token: report.token, result: applied ? "applied" : "superseded" };
  });
  const repeated = await recordLate(tx, late, told);
  const opens = [...runs.values()];
  const limited = lease ? await limitedGroups(tx, Object.keys(free)) : [];
  const isLimited = (group: string) => limited.includes(group);
  const taken: Taken[] = lease ? handOn(ctx, opens, reports, { worker, free, now, isLimited, fingerprint: lease.fingerprint }) : [];
  const committed = await writeRuns(ctx, tx, opens, now);
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
