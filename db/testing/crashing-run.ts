import { and, asc, eq, gt, like, not, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { DomainError } from "../../server/domain/failure";
import type { RunPlan } from "../../server/domain/run/model";
import type { AttemptOutcome } from "../../server/domain/run/states";
import type { ClaimedNode, WorkerLease } from "../../server/domain/run/work";
import type { Ctx } from "../../server/engine/context";
import { RunMemory } from "../../server/engine/runs/run-memory";
import { loadVersions, versionIn } from "../../server/engine/runs/versions";
import type { Db } from "../client";
import * as schema from "../schema";
import { workers } from "../schema/platform";
import { nodeRuns, runEvents, runs } from "../schema/runs";
import { testCtx } from "./ctx";
import type { Death, Failpoint } from "./failpoint";
import { type Answer, NaiveRun } from "./naive-run";
import { type MadePipeline, makeWorker, nodesByKey, runOf } from "./runs";
import { until } from "./wait";

type Tell = (naive: NaiveRun) => Answer | undefined;

/** A worker process: its lease, and what it remembers of its runs. */
export interface Hand {
  readonly lease: WorkerLease;
  readonly memory: RunMemory;
}

/** An attempt as the worker that took it knows it. */
export interface HeldAttempt {
  readonly claimed: ClaimedNode;
  readonly by: Hand;
}

const VICTIM = "victim";

/** The process that may die: its pool dials again at once, as a process that is started anew. Shared by many histories. */
export interface Mortal {
  readonly db: Db;
  readonly point: Failpoint;
  close(): Promise<void>;
}

export function openMortal(point: Failpoint): Mortal {
  const connection = { application_name: VICTIM, TimeZone: "UTC" };
  const client = postgres(point.url, { max: 2, onnotice: () => {}, connection, backoff: () => 0 });
  return { db: drizzle(client, { schema }), point, close: () => client.end({ timeout: 0 }) };
}
const LONG_AGO = sql`clock_timestamp() - interval '1 hour'`;

/**
 * One run in real tables, beside the same run in the naive model. Its verbs go through a line on which their process may die at
 * any statement; then the rows must be what they were, or what they were to become, and a new process goes on.
 */
export class CrashingRun {
  runId = "";
  naive: NaiveRun;
  /** Attempts that some worker believes to have; one that is reported stays, so that it may be reported again. */
  held: HeldAttempt[] = [];
  deaths = 0;
  readonly #hands = new Map<number, Hand>();
  #told: Tell[] = [];
  #lastEvent = 0;
  readonly #names = new Map<string, string>();

  private constructor(
    readonly direct: Ctx,
    readonly mortal: Mortal,
    readonly pipeline: MadePipeline,
    readonly plan: RunPlan,
    readonly group: string,
  ) {
    this.naive = new NaiveRun(plan);
  }

  static async open(direct: Ctx, mortal: Mortal, pipeline: MadePipeline, group: string): Promise<CrashingRun> {
    const { plan } = versionIn(await loadVersions(direct.db, [pipeline.versionId]), pipeline.versionId);
    return new CrashingRun(direct, mortal, pipeline, plan, group);
  }

  /** The world of a verb in the process that may die. */
  get ctx(): Ctx {
    return { ...testCtx(this.mortal.db), principal: this.direct.principal };
  }

  /** One of two workers that take turns on the run, so that each remembers what the other has changed since. */
  async hand(at = 0): Promise<Hand> {
    const place = at % 2;
    const known = this.#hands.get(place);
    if (known) return known;
    const hand = { lease: await makeWorker(this.direct, [this.group]), memory: new RunMemory(() => performance.now()) };
    this.#hands.set(place, hand);
    return hand;
  }

  /** Runs a verb in the process that may die; null where it has died, whatever it had done by then. */
  async act<T>(
    death: Death | null,
    verb: (ctx: Ctx) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly refused: DomainError } | null> {
    if (death) this.mortal.point.arm(death);
    let found: { readonly value: T } | { readonly refused: DomainError } | null = null;
    let failed: unknown;
    try {
      found = { value: await verb(this.ctx) };
    } catch (error) {
      if (error instanceof DomainError) found = { refused: error };
      else failed = error;
    }
    if (!this.mortal.point.disarm().died) {
      if (failed !== undefined) throw failed instanceof Error ? failed : new Error(String(failed));
      return found;
    }
    this.deaths += 1;
    await until("the dead process has let go of its rows", async () => (await this.#busy()) === 0);
    return null;
  }

  /** Tells the model for good; answers as it did. */
  tell(tell: Tell): Answer | undefined {
    this.#told.push(tell);
    return tell(this.naive);
  }

  /** After a death: the rows are what the model said before, or what it says with these; never anything between. */
  async tellIfDone(tells: readonly Tell[]): Promise<boolean> {
    const before = await this.differences();
    const mark = this.#told.length;
    for (const tell of tells) this.tell(tell);
    await this.adoptStarts();
    const after = await this.differences();
    if (after.length === 0) return true;
    if (before.length > 0) throw new Error(`a death left neither what was nor what was to be: ${[...before, "or", ...after].join("; ")}`);
    this.#told = this.#told.slice(0, mark);
    this.naive = new NaiveRun(this.plan);
    for (const tell of this.#told) tell(this.naive);
    return false;
  }

  /** Nodes that run in the rows and are only queued in the model: some worker has taken them. Answers with their keys. */
  async adoptStarts(): Promise<string[]> {
    const rows = await nodesByKey(this.direct, this.runId);
    const started = this.naive.nodes.filter(({ state, token, plan }) => {
      const row = rows.get(plan.key);
      return state === "QUEUED" && row?.state === "RUNNING" && row.token === token + 1;
    });
    for (const { plan, token } of started) {
      if (this.tell((naive) => naive.take(plan.key, token + 1)) !== "applied") throw new Error(`${plan.key} was taken and could not be`);
    }
    return started.map(({ plan }) => plan.key);
  }

  /** Where the rows of the run and the model part; empty when they agree. */
  async differences(): Promise<string[]> {
    const { naive } = this;
    const run = await runOf(this.direct, this.runId);
    const rows = await nodesByKey(this.direct, this.runId);
    const found = run.state === naive.state ? [] : [`the run is ${run.state}, and by the model ${naive.state}`];
    if (run.pausedByPerson !== naive.paused) found.push(`the run is ${naive.paused ? "" : "not "}paused by the model`);
    for (const node of naive.nodes) {
      const row = rows.get(node.plan.key);
      const mine = [node.state, node.skip, node.generation, node.token, node.attempt, node.charged, node.repeated];
      const its = row && [row.state, row.skipCause, row.generation, row.token, row.attemptNo, row.attempts, row.maybeRepeated];
      if (JSON.stringify(mine) !== JSON.stringify(its))
        found.push(`${node.plan.key} is ${its?.join("/")}, and by the model ${mine.join("/")}`);
      else if (row && !this.#isNamed(node.execution, row.executionId)) found.push(`${node.plan.key} has another execution`);
    }
    return found;
  }

  async agrees(after: string): Promise<void> {
    const found = await this.differences();
    if (found.length > 0) throw new Error(`after ${after} ${found.join("; ")}`);
  }

  /** What the sweepers did to this run since the last look, in the order of its events. */
  async newEvents(): Promise<{ readonly event: string; readonly key: string }[]> {
    const rows = await this.direct.db
      .select()
      .from(runEvents)
      .where(and(eq(runEvents.runId, this.runId), gt(runEvents.id, this.#lastEvent), not(like(runEvents.event, "late.%"))))
      .orderBy(asc(runEvents.id));
    this.#lastEvent = rows.at(-1)?.id ?? this.#lastEvent;
    return rows.flatMap(({ event, nodeKey }) => (nodeKey === null ? [] : [{ event, key: nodeKey }]));
  }

  /** Moves a due time of a node into the past, in the rows and in the model. */
  async lapse(what: "due" | "deadline" | "timeout", key: string): Promise<void> {
    const column = { due: { dueAt: LONG_AGO }, deadline: { deadlineAt: LONG_AGO }, timeout: { timeoutAt: LONG_AGO } }[what];
    const has = { due: nodeRuns.dueAt, deadline: nodeRuns.deadlineAt, timeout: nodeRuns.timeoutAt }[what];
    const live = or(eq(nodeRuns.state, "QUEUED"), eq(nodeRuns.state, "RUNNING"), eq(nodeRuns.state, "RETRYING"));
    const where = and(eq(nodeRuns.runId, this.runId), eq(nodeRuns.key, key), live, sql`${has} is not null`);
    const moved = await this.direct.db.update(nodeRuns).set(column).where(where).returning({ key: nodeRuns.key });
    if (moved.length === 0) return;
    // Whatever the engine changes raises it, so that no worker goes on by what it remembers.
    await this.direct.db
      .update(runs)
      .set({ seq: sql`${runs.seq} + 1` })
      .where(eq(runs.id, this.runId));
    if (what === "timeout") return;
    const field = what === "due" ? "dueAt" : "deadlineAt";
    this.tell((naive) => {
      naive.node(key)[field] = naive.now - 3_600_000;
      return undefined;
    });
  }

  /** A worker stops renewing; what it holds it may still report, late. The next one is another process. */
  async loseHand(at = 0): Promise<void> {
    const { lease } = await this.hand(at);
    await this.direct.db.update(workers).set({ expiresAt: LONG_AGO }).where(eq(workers.id, lease.id));
    this.#hands.delete(at % 2);
  }

  /** Whether this very end of the attempt stands in the books already, so that a report of it is a repeat. */
  isRepeat({ key, generation, attemptNo, token }: ClaimedNode, outcome: AttemptOutcome): boolean {
    return this.naive.attempts.some(
      (each) =>
        each.key === key && each.generation === generation && each.no === attemptNo && each.token === token && each.outcome === outcome,
    );
  }

  async #busy(): Promise<number> {
    const rows = await this.direct.db.execute<{ busy: number }>(sql`
      select count(*)::integer as busy from pg_stat_activity where datname = current_database() and application_name = ${VICTIM} and state <> 'idle'`);
    return rows[0]?.busy ?? 0;
  }

  /** The model gives its executions names of its own: each stands for one id, and for no other. */
  #isNamed(name: string, id: string): boolean {
    const known = this.#names.get(name);
    if (known !== undefined) return known === id;
    if ([...this.#names.values()].includes(id)) return false;
    this.#names.set(name, id);
    return true;
  }
}
