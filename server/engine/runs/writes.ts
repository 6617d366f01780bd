import type { StateWrites } from "@/db/statements/state/apply-decisions";
import type { NodeRow, RunRow } from "@/db/statements/state/lock-runs";
import type { NodeChange } from "@/server/domain/run/model";
import { isTerminalRun } from "@/server/domain/run/states";
import { allowedNodePairs, leavesForGood } from "@/server/domain/run/transitions";
import type { Ctx } from "@/server/engine/context";
import { attemptClose, attemptOpen, errorEvent, executionTurn, newExecution } from "./attempt-rows";
import { eventRows } from "./event-rows";
import { rowAfter } from "./node-row";
import type { OpenRun, Told } from "./open-run";

type Pass = { -readonly [Part in keyof StateWrites]: StateWrites[Part][number][] };

const emptyPass = (): Pass => ({ nodes: [], newExecutions: [], executions: [], closed: [], opened: [], events: [], errors: [], runs: [] });

/** A stretch of a node's steps that one update writes, because the table allows its first state to become its last. */
interface Stretch {
  readonly from: NodeRow;
  readonly steps: { readonly change: NodeChange; readonly told: Told }[];
  row: NodeRow;
}

const PAIRS: ReadonlySet<string> = new Set(allowedNodePairs());

/**
 * What open runs have to write, as statements one after the other: nearly always one. A node takes a second one only where
 * its steps together are no pair of the table, as a wait that is begun and fails at once.
 */
export function writesOf(ctx: Pick<Ctx, "ids">, opens: readonly OpenRun[], now: Date): StateWrites[] {
  const passes: Pass[] = [emptyPass()];
  const passAt = (index: number): Pass => {
    for (let made = passes.length; made <= index; made++) passes.push(emptyPass());
    return passes[index] ?? emptyPass();
  };
  for (const open of opens) {
    passAt(0).events.push(...eventRows(open, now));
    if (open.moved) passAt(0).runs.push(runRowAfter(open, now));
    for (const stretches of stretchesOf(open, now).values()) {
      for (const [index, stretch] of stretches.entries()) writeStretch(ctx, passAt(index), open, stretch, now);
    }
  }
  return passes;
}

export function runRowAfter({ row, facts }: OpenRun, now: Date): RunRow {
  return {
    ...row,
    state: facts.state,
    seq: row.seq + 1,
    pausedByPerson: facts.pausedByPerson,
    cancelRequestedAt: facts.cancelRequested ? (row.cancelRequestedAt ?? now) : null,
    startedAt: facts.activated ? (row.startedAt ?? now) : null,
    endedAt: isTerminalRun(facts.state) ? (isTerminalRun(row.state as typeof facts.state) ? (row.endedAt ?? now) : now) : null,
  };
}

function stretchesOf(open: OpenRun, now: Date): ReadonlyMap<string, Stretch[]> {
  const byNode = new Map<string, Stretch[]>();
  const time = { now, pausedByPerson: open.facts.pausedByPerson };
  for (const entry of open.log) {
    if (entry.kind !== "node") continue;
    const { change, told } = entry;
    const stretches = byNode.get(change.key) ?? [];
    byNode.set(change.key, stretches);
    const last = stretches.at(-1);
    if (last && canExtend(last, change)) {
      last.steps.push({ change, told });
      last.row = rowAfter(last.row, change, told, time);
      continue;
    }
    const from = last?.row ?? open.nodes.get(change.key);
    if (!from) throw new Error(`run ${open.row.id} has no row of node "${change.key}"`);
    stretches.push({ from, steps: [{ change, told }], row: rowAfter(from, change, told, time) });
  }
  return byNode;
}

/** An attempt is opened by an insert and closed by an update, so one statement cannot do both. */
function canExtend({ from, steps }: Stretch, change: NodeChange): boolean {
  const opened = steps.some((step) => step.change.to === "RUNNING");
  const reopened = leavesForGood(from.state as NodeChange["from"]) && change.next.generation !== from.generation + 1;
  return !opened && !reopened && change.to !== from.state && PAIRS.has(`${from.state}>${change.to}`);
}

function writeStretch(ctx: Pick<Ctx, "ids">, pass: Pass, open: OpenRun, { from, steps, row }: Stretch, now: Date): void {
  pass.nodes.push({ row, from });
  for (const { change, told } of steps) {
    if (change.next.executionId !== change.before.executionId) pass.newExecutions.push(newExecution(open, change, now));
    if (change.outcome) pass.closed.push(attemptClose(open, change, told, now));
    if (change.to === "RUNNING") pass.opened.push(attemptOpen(ctx, open, row, change, told, now));
    if (change.failure) pass.errors.push(errorEvent(ctx, open, change, now));
  }
  const turn = executionTurn(steps, row, open.outputs.get(row.key), now);
  if (turn) pass.executions.push(turn);
}
