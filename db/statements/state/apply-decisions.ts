import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import type { attempts, errorEvents, executions, runEvents } from "../../schema/runs";
import { prepared } from "../prepared";
import { isoOf } from "../records";
import type { NodeRow, RunRow } from "./lock-runs";

/** A node as it is to be, and as it was read: what a claim has changed since is not overwritten. */
export interface NodeWrite {
  readonly row: NodeRow;
  readonly from: NodeRow;
}

/** What an attempt's end adds to its row; only what is given is written. */
export type AttemptClose = Pick<typeof attempts.$inferSelect, "runId" | "nodeKey" | "generation" | "no"> &
  Pick<typeof attempts.$inferInsert, "outcome" | "committedAt"> &
  Partial<
    Pick<
      typeof attempts.$inferInsert,
      "inputs" | "output" | "response" | "errorCode" | "errorMessage" | "pickedUpAt" | "executingAt" | "logBytes" | "logTruncated"
    >
  >;

export type ExecutionWrite = Pick<typeof executions.$inferSelect, "runId" | "executionId" | "state" | "token"> &
  Partial<Pick<typeof executions.$inferSelect, "result" | "completedBy" | "completedAt" | "executingAt">>;

export interface StateWrites {
  readonly nodes: readonly NodeWrite[];
  readonly newExecutions: readonly (typeof executions.$inferSelect)[];
  readonly executions: readonly ExecutionWrite[];
  readonly closed: readonly AttemptClose[];
  readonly opened: readonly (typeof attempts.$inferSelect)[];
  readonly events: readonly (typeof runEvents.$inferInsert)[];
  readonly errors: readonly (typeof errorEvents.$inferInsert)[];
  /** With the `seq` that they are to have: one above that which was read, and which has to stand there still. */
  readonly runs: readonly RunRow[];
}

/** What a worker takes in the same call: its lease, and the groups of what it takes. */
export interface TakingBy {
  readonly worker: { readonly id: string; readonly bootId: string; readonly epoch: number };
  readonly groups: readonly string[];
}

/** The term that the leader writes in: what it writes is of a past one as soon as another leads. */
export interface LedBy {
  readonly term: { readonly name: string; readonly epoch: number };
}

export interface Applied {
  /** The database's clock at the end of the call; null where nothing was written. */
  readonly at: Date | null;
  /** False where the worker's lease or the leader's term is over, and then nothing was written; null where none was asked for. */
  readonly leased: boolean | null;
  /** Groups of what the worker takes that have a limit: nothing was written. */
  readonly limited: readonly string[];
  /** Runs that have moved on since they were read, or that somebody holds while a leader writes: nothing was written of them. */
  readonly refused: readonly string[];
  /** Keys of the slots that are free again. */
  readonly freed: readonly string[];
}

interface AppliedRow {
  readonly at: string | null;
  readonly leased: boolean | null;
  readonly limited: string[] | null;
  readonly refused: string[];
  readonly freed: string[] | null;
}

/**
 * Commits what was decided: nodes, register, attempts, events, error events, runs and freed slots, in one call of
 * `apply_decisions`, so that none of it exists without the rest (IDM-4).
 *
 * Prevents: a decision on a run that has moved on since (its `seq` is compared by the update itself, after a wait for whoever
 * holds the row; a leader does not wait, since one run that is held must not hold up its sweep); a claim that came between the decision and this write (state and token are compared, and fewer rows than
 * asked raise 40001); a completed execution that is opened again (it is passed by, and a trigger refuses it); a ring of two
 * that wait for each other (runs go in the order of their ids); a hand-on by a worker that is no longer itself; a write of a
 * leader whose term is over (its lease row FOR KEY SHARE until the commit, as in `holdFence`).
 * Index: the primary keys, slots_taken. Measured beside one statement of ten parts, prepared or not: docs/performance.md.
 */
const apply = prepared<AppliedRow, { writes: string }>((value) => sql`select * from apply_decisions(${value("writes")}::jsonb)`);

export async function applyDecisions(db: Executor, writes: StateWrites, by: TakingBy | LedBy | null = null): Promise<Applied> {
  const [row] = await apply(db, { writes: JSON.stringify(payloadOf(writes, by)) });
  if (!row) throw new Error("apply_decisions gave no answer");
  const { at, leased, limited, refused, freed } = row;
  return { at: at === null ? null : new Date(at), leased, limited: limited ?? [], refused, freed: freed ?? [] };
}

type Cell = unknown;

const byId = (a: RunRow, b: RunRow) => (a.id < b.id ? -1 : 1);

function payloadOf(writes: StateWrites, by: TakingBy | LedBy | null): Record<string, unknown> {
  const payload: Record<string, unknown> = { ...boundsOf(writes) };
  const put = <T>(name: string, rows: readonly T[], cellsOf: (row: T) => readonly Cell[]) => {
    if (rows.length > 0) payload[name] = rows.map(cellsOf);
  };
  if (by && "term" in by) payload.term = [by.term.name, by.term.epoch];
  else if (by) {
    payload.lease = [by.worker.id, by.worker.bootId, by.worker.epoch];
    payload.groups = by.groups;
  }
  put("runs", [...writes.runs].sort(byId), runCells);
  put("nodes", writes.nodes, nodeCells);
  put("born", writes.newExecutions, bornCells);
  put("executions", writes.executions, executionCells);
  put("closed", writes.closed, closedCells);
  put("opened", writes.opened, openedCells);
  put("errors", writes.errors, errorCells);
  // One worker tells nearly all of them.
  const actor = JSON.stringify(writes.events[0]?.actor);
  payload.actor = writes.events[0]?.actor;
  put("events", writes.events, (row) => (JSON.stringify(row.actor) === actor ? eventCells(row) : [...eventCells(row), row.actor]));
  return payload;
}

/** The range of all ids; each carries the millisecond of its run in its first 48 bits. */
function boundsOf({ nodes, runs, events, executions, newExecutions, closed, opened }: StateWrites): { lo: string; hi: string } {
  let lo = "~";
  let hi = "";
  const see = (id: string) => {
    if (id < lo) lo = id;
    if (id > hi) hi = id;
  };
  for (const { id } of runs) see(id);
  for (const { row } of nodes) see(row.runId);
  for (const { runId } of events) see(runId);
  for (const { executionId } of [...executions, ...newExecutions]) see(executionId);
  for (const { runId } of [...closed, ...opened]) see(runId);
  return { lo, hi };
}

const at = (date: Date | null | undefined): string | null => (date ? isoOf(date) : null);
/** What is to stand there, or null where it stands there already. */
const changed = <T>(next: T, before: T): T | null => (next === before ? null : next);
const moved = (next: Date | null, before: Date | null): string | null => (next?.getTime() === before?.getTime() ? null : at(next));

const runCells = (row: RunRow): Cell[] => [
  row.id,
  row.seq - 1,
  row.state,
  row.pausedByPerson,
  at(row.cancelRequestedAt),
  at(row.startedAt),
  at(row.endedAt),
];

function nodeCells({ row, from }: NodeWrite): Cell[] {
  // Of a new generation these are written as they are, null too; else null leaves them.
  const isFresh = row.generation !== from.generation;
  const instant = (next: Date | null, before: Date | null) => (isFresh ? at(next) : moved(next, before));
  return [
    row.runId,
    row.key,
    from.state,
    from.token,
    row.state,
    isFresh,
    changed(row.generation, from.generation),
    changed(row.executionId, from.executionId),
    changed(row.token, from.token),
    changed(row.attemptNo, from.attemptNo),
    changed(row.attempts, from.attempts),
    changed(row.held, from.held),
    changed(row.maybeRepeated, from.maybeRepeated),
    moved(row.rank, from.rank),
    instant(row.readyAt, from.readyAt),
    instant(row.queuedAt, from.queuedAt),
    instant(row.deadlineAt, from.deadlineAt),
    instant(row.startedAt, from.startedAt),
    at(row.dueAt),
    at(row.timeoutAt),
    at(row.endedAt),
    row.workerId,
    row.workerBoot,
    row.errorCode,
    row.errorMessage,
    row.skipCause,
  ];
}

const bornCells = (row: StateWrites["newExecutions"][number]): Cell[] => [
  row.executionId,
  row.runId,
  row.nodeKey,
  row.token,
  row.replaces,
  at(row.registeredAt),
];

const executionCells = (row: ExecutionWrite): Cell[] => [
  row.runId,
  row.executionId,
  row.state,
  row.token,
  at(row.executingAt),
  at(row.completedAt),
  row.completedBy ?? null,
  row.result ?? null,
];

const closedCells = (row: AttemptClose): Cell[] => [
  row.runId,
  row.nodeKey,
  row.generation,
  row.no,
  row.outcome ?? null,
  at(row.committedAt),
  row.errorCode ?? null,
  row.errorMessage ?? null,
  at(row.pickedUpAt),
  at(row.executingAt),
  row.logBytes ?? null,
  row.logTruncated ?? null,
  row.inputs ?? null,
  row.output ?? null,
  row.response ?? null,
];

const openedCells = (row: StateWrites["opened"][number]): Cell[] => [
  row.runId,
  row.nodeKey,
  row.generation,
  row.no,
  row.executionId,
  row.token,
  row.workerId,
  row.workerBoot,
  row.worker,
  row.refs,
  row.runState,
  row.traceId,
  row.spanId,
  at(row.queuedAt),
  at(row.dispatchedAt),
  at(row.executingAt),
  row.maybeRepeated,
  row.handedOn,
];

const eventCells = (row: StateWrites["events"][number]): Cell[] => [
  row.runId,
  at(row.at),
  row.event,
  row.nodeKey ?? null,
  row.generation ?? null,
  row.attemptNo ?? null,
  row.from ?? null,
  row.to ?? null,
  row.cause,
  row.data ?? {},
];

const errorCells = (row: StateWrites["errors"][number]): Cell[] => [
  row.runId,
  row.id,
  row.projectId,
  row.pipelineId,
  row.nodeKey,
  row.generation,
  row.attemptNo,
  row.executionId,
  row.code,
  row.message,
  row.stack ?? null,
  row.stackHash ?? null,
  row.retryCount,
  row.context ?? {},
  row.traceId,
  row.workerId ?? null,
  at(row.at),
  row.saidCode ?? null,
];
