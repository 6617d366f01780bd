import type { NodeRow, RunRow } from "@/db/statements/state/lock-runs";
import type { ReadRun } from "@/db/statements/state/read-runs";
import type { RunFacts } from "@/server/domain/run/model";
import { isTerminalRun } from "@/server/domain/run/states";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import { DatabaseTime } from "./database-time";
import { factsOf, nodeFactsOf, type OpenRun } from "./open-run";
import type { Version } from "./versions";

/** A run as its worker has last seen it, and the outputs of it that this worker has had accepted. */
export interface Remembered {
  row: RunRow;
  /** Never changed in place: a settle that is under way writes only where the rows are still those that it decided on. */
  nodes: ReadonlyMap<string, NodeRow>;
  facts: RunFacts;
  /** Nodes that a claim has taken since the run was opened for a settle. */
  readonly claimedSince: Set<string>;
  readonly version: Version;
  /** By execution. */
  readonly outputs: Map<string, unknown>;
  outputBytes: number;
}

export interface MemoryLimits {
  readonly nodes: number;
  readonly outputBytes: number;
}

/** Some 40 MB, and as much again of outputs. */
const LIMITS: MemoryLimits = { nodes: 40_000, outputBytes: 32 * 1024 * 1024 };
/** Of one run: the most that one of its nodes may read. */
const MAX_RUN_BYTES = 4_000_000;

/**
 * What a worker knows of the runs that it works on, so that a settle need not read them. It may be out of date at any moment:
 * whoever decides on it writes only where the database still says the same. The least recently used runs go.
 */
export class RunMemory {
  readonly time: DatabaseTime;
  /** Groups that had a limit when something of them was to be handed on, until when they count as such. */
  readonly #limited = new Map<string, number>();
  readonly #runs = new Map<string, Remembered>();
  readonly #limits: MemoryLimits;
  readonly #monotonicMs: () => number;
  #nodes = 0;
  #outputBytes = 0;

  constructor(monotonicMs: () => number, limits: MemoryLimits = LIMITS) {
    this.#monotonicMs = monotonicMs;
    this.#limits = limits;
    this.time = new DatabaseTime(monotonicMs);
  }

  get size(): { readonly runs: number; readonly nodes: number; readonly outputBytes: number } {
    return { runs: this.#runs.size, nodes: this.#nodes, outputBytes: this.#outputBytes };
  }

  find(runId: string): Remembered | null {
    const known = this.#runs.get(runId);
    if (!known) return null;
    this.#runs.delete(runId);
    this.#runs.set(runId, known);
    return known;
  }

  /** A run to decide on; nothing of what is decided is remembered before it is committed. */
  open(known: Remembered): OpenRun {
    known.claimedSince.clear();
    const { row, nodes, facts, version } = known;
    return { row, nodes, facts, version, log: [], outputs: new Map(), moved: false };
  }

  keep({ row, nodes }: ReadRun, version: Version): Remembered {
    this.forget(row.id);
    const kept: Remembered = {
      row,
      version,
      nodes: new Map(nodes.map((node) => [node.key, node])),
      facts: factsOf(row, nodes),
      claimedSince: new Set(),
      outputs: new Map(),
      outputBytes: 0,
    };
    this.#runs.set(row.id, kept);
    this.#nodes += kept.nodes.size;
    this.#evict(row.id);
    return kept;
  }

  forget(runId: string): void {
    const known = this.#runs.get(runId);
    if (!known) return;
    this.#runs.delete(runId);
    this.#nodes -= known.nodes.size;
    this.#outputBytes -= known.outputBytes;
  }

  clear(): void {
    for (const runId of [...this.#runs.keys()]) this.forget(runId);
  }

  /** The run as a commit of this worker has left it. */
  advance(open: OpenRun, row: RunRow, nodes: readonly NodeRow[]): void {
    const known = this.#runs.get(row.id);
    if (!known) return;
    // What a claim has remembered anew meanwhile is another state of the run than the one that this commit began with.
    if (isTerminalRun(open.facts.state) || known.row !== open.row) {
      this.forget(row.id);
      return;
    }
    known.row = row;
    const rows = new Map(known.nodes);
    const facts = new Map(open.facts.nodes);
    for (const node of nodes) {
      rows.set(node.key, node);
      known.claimedSince.delete(node.key);
    }
    // A claim of another node came while the commit was on its way.
    for (const key of known.claimedSince) {
      const node = rows.get(key);
      if (node) facts.set(key, nodeFactsOf(node));
    }
    known.nodes = rows;
    known.facts = { ...open.facts, nodes: facts };
    for (const [key, output] of open.outputs) this.#keepOutput(known, key, output);
    this.#evict(row.id);
  }

  /** What a claim of this worker has done to nodes that are remembered. */
  claimed(nodes: readonly ClaimedNode[], worker: WorkerLease): void {
    const [first] = nodes;
    if (first) this.time.hear(first.dispatchedAt);
    for (const node of nodes) this.#claimed(node, worker);
  }

  #claimed(claimed: ClaimedNode, worker: WorkerLease): void {
    const known = this.#runs.get(claimed.runId);
    const node = known?.nodes.get(claimed.key);
    if (!known || !node) return;
    const isNext = node.state === "QUEUED" && node.generation === claimed.generation && node.token + 1 === claimed.token;
    if (!isNext) {
      this.forget(claimed.runId);
      return;
    }
    const { dispatchedAt, timeoutAt, token, attemptNo } = claimed;
    const row: NodeRow = {
      ...node,
      state: "RUNNING",
      token,
      attemptNo,
      attempts: node.attempts + 1,
      workerId: worker.id,
      workerBoot: worker.bootId,
      startedAt: node.startedAt ?? dispatchedAt,
      dueAt: null,
      deadlineAt: node.deadlineAt ?? new Date(dispatchedAt.getTime() + node.deadlineMs),
      timeoutAt,
    };
    known.nodes = new Map(known.nodes).set(row.key, row);
    known.facts = { ...known.facts, nodes: new Map(known.facts.nodes).set(row.key, nodeFactsOf(row)) };
    known.claimedSince.add(row.key);
  }

  isLimited(group: string): boolean {
    return (this.#limited.get(group) ?? 0) > this.#monotonicMs();
  }

  /** A group has a limit: for a while nothing of it is handed on. */
  limit(groups: readonly string[]): void {
    for (const group of groups) this.#limited.set(group, this.#monotonicMs() + LIMITED_MS);
  }

  /** Only what a node may read later is kept. */
  #keepOutput(known: Remembered, key: string, output: unknown): void {
    const execution = known.facts.nodes.get(key)?.executionId;
    if (execution === undefined || !known.version.plan.nodes.some(({ reads }) => reads.includes(key))) return;
    const bytes = Buffer.byteLength(JSON.stringify(output ?? null));
    if (known.outputBytes + bytes > MAX_RUN_BYTES || known.outputs.has(execution)) return;
    known.outputs.set(execution, output);
    known.outputBytes += bytes;
    this.#outputBytes += bytes;
  }

  #evict(spared: string): void {
    for (const [oldest] of this.#runs) {
      if (this.#nodes <= this.#limits.nodes && this.#outputBytes <= this.#limits.outputBytes) return;
      if (oldest !== spared) this.forget(oldest);
    }
  }
}

const LIMITED_MS = 5_000;
