import type { Executor, Tx } from "@/db/client";
import { lockRuns, type NodeRow, nodesOf, nodesWithoutClaims, type RunRow } from "@/db/statements/state/lock-runs";
import { readRuns } from "@/db/statements/state/read-runs";
import { decide } from "@/server/domain/run/decide";
import type { Actor, Decision, NodeChange, NodeFacts, RunEvent, RunFacts } from "@/server/domain/run/model";
import type { NodeState, RunState, SkipCause } from "@/server/domain/run/states";
import type { AttemptReport } from "@/server/domain/run/work";
import { loadVersions, type Version, versionIn } from "./versions";

/** Who told of an event, and what came with it: it stands in the rows of the steps that follow. */
export interface Told {
  readonly actor: Actor;
  readonly reason?: string;
  readonly report?: AttemptReport;
  /** Of a success that no report brings: a mark by a person. */
  readonly output?: unknown;
  /** The worker that takes the node in this commit. */
  readonly taker?: { readonly id: string; readonly bootId: string; readonly fingerprint?: unknown; readonly spanId: string };
}

export type LogEntry =
  | { readonly kind: "node"; readonly change: NodeChange; readonly told: Told }
  | {
      readonly kind: "run";
      readonly event: string;
      readonly from: RunState | null;
      readonly to: RunState | null;
      readonly cause: string;
      readonly told: Told;
    }
  | { readonly kind: "late"; readonly report: AttemptReport; readonly state: NodeState; readonly reason: string; readonly told: Told };

/** A run that this transaction has locked, with all that has been decided on it so far. */
export interface OpenRun {
  readonly row: RunRow;
  readonly nodes: ReadonlyMap<string, NodeRow>;
  readonly version: Version;
  facts: RunFacts;
  /** In order; what is written in the end. */
  readonly log: LogEntry[];
  /** Outputs that this transaction accepts, by node. */
  readonly outputs: Map<string, unknown>;
  moved: boolean;
}

export interface Opened {
  readonly runs: ReadonlyMap<string, OpenRun>;
  readonly now: Date;
}

/** Locks runs in order and reads what a decision needs. */
export async function openRuns(tx: Tx, ids: readonly string[]): Promise<Opened> {
  const { runs, now } = await lockRuns(tx, ids);
  const versions = await loadVersions(
    tx,
    runs.map((run) => run.versionId),
  );
  const nodes = await nodesOf(
    tx,
    runs.map((run) => run.id),
  );
  const byRun = new Map<string, NodeRow[]>(runs.map((run) => [run.id, []]));
  for (const node of nodes) byRun.get(node.runId)?.push(node);
  return { now, runs: new Map(runs.map((row) => [row.id, openRun(row, byRun.get(row.id) ?? [], versionIn(versions, row.versionId))])) };
}

/** Runs as they are now, without a lock: whoever decides on them writes only where they are still the same. */
export async function readOpen(db: Executor, ids: readonly string[]): Promise<Opened> {
  const { runs, at } = await readRuns(db, ids);
  const versions = await loadVersions(
    db,
    runs.map(({ row }) => row.versionId),
  );
  return { now: at, runs: new Map(runs.map(({ row, nodes }) => [row.id, openRun(row, nodes, versionIn(versions, row.versionId))])) };
}

/** One run for a person's wish: no claim takes one of its queued nodes meanwhile. Null when there is no such run. */
export async function openForPerson(tx: Tx, id: string): Promise<{ readonly open: OpenRun; readonly now: Date } | null> {
  const { runs, now } = await lockRuns(tx, [id]);
  const [row] = runs;
  if (!row) return null;
  const nodes = await nodesWithoutClaims(tx, id);
  const version = versionIn(await loadVersions(tx, [row.versionId]), row.versionId);
  return { open: openRun(row, nodes, version), now };
}

export function openRun(row: RunRow, nodes: readonly NodeRow[], version: Version): OpenRun {
  return {
    row,
    version,
    nodes: new Map(nodes.map((node) => [node.key, node])),
    facts: factsOf(row, nodes),
    log: [],
    outputs: new Map(),
    moved: false,
  };
}

export function factsOf(row: RunRow, nodes: readonly NodeRow[]): RunFacts {
  return {
    id: row.id,
    state: row.state as RunState,
    activated: row.startedAt !== null,
    cancelRequested: row.cancelRequestedAt !== null,
    pausedByPerson: row.pausedByPerson,
    nodes: new Map(nodes.map((node) => [node.key, nodeFactsOf(node)])),
  };
}

export const nodeFactsOf = (row: NodeRow): NodeFacts => ({
  key: row.key,
  state: row.state as NodeState,
  generation: row.generation,
  executionId: row.executionId,
  token: row.token,
  attemptNo: row.attemptNo,
  attempts: row.attempts,
  readyAt: row.readyAt,
  dueAt: row.dueAt,
  deadlineAt: row.deadlineAt,
  skipCause: row.skipCause as SkipCause | null,
  maybeRepeated: row.maybeRepeated,
});

const WISHES: Readonly<Partial<Record<RunEvent["kind"], string>>> = {
  cancelRun: "run.cancelRequested",
  pauseRun: "run.pauseRequested",
  resumeRun: "run.resumeRequested",
};

/** Decides an event on an open run and keeps what follows; nothing is kept of what is superseded or refused. */
export function feed(open: OpenRun, event: RunEvent, now: Date, told: Told): Decision {
  const decision = decide(open.version.plan, open.facts, event, { now });
  if (decision.kind !== "applied") return decision;
  const wish = WISHES[event.kind];
  if (wish) open.log.push({ kind: "run", event: wish, from: null, to: null, cause: told.reason ?? "", told });
  for (const change of decision.changes) open.log.push({ kind: "node", change, told });
  if (decision.run) {
    const { from, to, cause } = decision.run;
    open.log.push({ kind: "run", event: `run.${to.toLowerCase()}`, from, to, cause, told });
  }
  if (event.kind === "succeeded" || event.kind === "markSuccess") open.outputs.set(event.key, told.output ?? null);
  open.facts = decision.next;
  open.moved = true;
  return decision;
}
