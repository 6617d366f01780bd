import type { NodeRow } from "@/db/statements/state/lock-runs";
import type { NodeChange } from "@/server/domain/run/model";
import { isTerminalNode } from "@/server/domain/run/states";
import type { Told } from "./open-run";

/** One step of priority is worth this much waiting. */
const PRIORITY_STEP_MS = 5 * 60_000;

interface StepTime {
  readonly now: Date;
  readonly pausedByPerson: boolean;
}

/** The row of a node after a step. */
export function rowAfter(row: NodeRow, change: NodeChange, told: Told, { now, pausedByPerson }: StepTime): NodeRow {
  const { next } = change;
  const fresh = next.generation > row.generation;
  const kept = fresh ? { ...row, startedAt: null, queuedAt: null, errorCode: null, errorMessage: null } : row;
  const ended = isTerminalNode(next.state) || next.state === "MANUAL_REVIEW";
  return {
    ...kept,
    state: next.state,
    generation: next.generation,
    executionId: next.executionId,
    token: next.token,
    attemptNo: next.attemptNo,
    attempts: next.attempts,
    skipCause: next.skipCause,
    readyAt: next.readyAt,
    dueAt: next.dueAt,
    deadlineAt: next.deadlineAt,
    maybeRepeated: next.maybeRepeated,
    held: pausedByPerson && !isTerminalNode(next.state),
    endedAt: ended ? now : null,
    timeoutAt: null,
    workerId: null,
    workerBoot: null,
    ...errorOf(change),
    ...onEntry(kept, change, told, now),
  };
}

function errorOf({ failure, to }: NodeChange): Partial<NodeRow> {
  if (failure) return { errorCode: failure.code, errorMessage: failure.message };
  return to === "SUCCESS" ? { errorCode: null, errorMessage: null } : {};
}

function onEntry(row: NodeRow, { next }: NodeChange, told: Told, now: Date): Partial<NodeRow> {
  if (next.state === "QUEUED") {
    const readyAt = next.readyAt ?? now;
    return { queuedAt: now, rank: new Date(readyAt.getTime() - row.priority * PRIORITY_STEP_MS) };
  }
  if (next.state !== "RUNNING") return {};
  const startedAt = row.startedAt ?? now;
  if (row.type === "wait") return { startedAt };
  const limits = [now.getTime() + row.timeoutMs, next.deadlineAt?.getTime() ?? Number.POSITIVE_INFINITY];
  return { startedAt, timeoutAt: new Date(Math.min(...limits)), workerId: told.taker?.id ?? null, workerBoot: told.taker?.bootId ?? null };
}
