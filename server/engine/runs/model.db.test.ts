import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CrashingRun, type HeldAttempt, type Mortal, openMortal } from "@/db/testing/crashing-run";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type Death, type Failpoint, openFailpoint } from "@/db/testing/failpoint";
import { brokenInvariants } from "@/db/testing/invariants";
import type { Answer, NaiveRun } from "@/db/testing/naive-run";
import { slowRuns } from "@/db/testing/property";
import { type RandomPlan, randomPlans } from "@/db/testing/random-plans";
import { makeFence, makePipeline, reportOf, runOf } from "@/db/testing/runs";
import { isTerminalRun } from "@/server/domain/run/states";
import type { AttemptReport } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { cancelNode } from "./cancel-node";
import { cancelRun } from "./cancel-run";
import { claimReady } from "./claim";
import { endElapsedWaits } from "./end-elapsed-waits";
import { endOverdueAttempts } from "./end-overdue-attempts";
import { endOverdueDeadlines } from "./end-overdue-deadlines";
import type { NodeIntervention } from "./intervention";
import { markSuccess } from "./mark-success";
import { pauseRun } from "./pause-run";
import { queueDueRetries } from "./queue-due-retries";
import type { Recover } from "./recover";
import { recoverLostWorkers } from "./recover-lost-workers";
import { rerunFrom } from "./rerun-from";
import { resumeRun } from "./resume-run";
import { retryNode } from "./retry-node";
import { settle } from "./settle";
import { skipNode } from "./skip-node";
import { triggerRun } from "./trigger-run";

let database: TestDatabase;
let direct: Ctx;
let point: Failpoint;
let mortal: Mortal;
let project: { id: string };
let fence: { name: string; epoch: number };
beforeAll(async () => {
  database = await openTestDatabase();
  const machine = testCtx(database.db);
  project = await makeProject(machine);
  fence = await makeFence(machine);
  direct = actingAs(machine, await makeUser(machine, project, "operator"));
  point = await openFailpoint(database.url);
  mortal = openMortal(point);
});
afterAll(async () => {
  await mortal.close();
  await point.close();
  await database.close();
});

const ENDS = [
  { end: { kind: "succeeded" }, outcome: "succeeded" },
  { end: { kind: "succeeded" }, outcome: "succeeded" },
  { end: { kind: "succeeded" }, outcome: "succeeded" },
  { end: { kind: "failed" }, outcome: "failed" },
  { end: { kind: "failed", retryable: false }, outcome: "failed" },
  { end: { kind: "failed" }, outcome: "failed", died: true, inner: 1 },
  { end: { kind: "timedOut" }, outcome: "timed_out", inner: 2 },
  { end: { kind: "handedBack" }, outcome: "handed_back" },
] as const;
type End = (typeof ENDS)[number] & { readonly died?: boolean; readonly inner?: number };

const REASON = "as the history wants it";
const WISHES = { retryNode, rerunFrom, skipNode, markSuccess, cancelNode } as const;
const RUN_WISHES = { cancelRun, pauseRun, resumeRun } as const;
const WHAT = [
  ...["claim", "claim", "claim", "settle", "settle", "settle", "settle", "settleOld", "dueRetry", "elapsedWait", "timeout", "deadline"],
  ...["loseWorker", "retryNode", "retryNode", "rerunFrom", "skipNode", "markSuccess", "cancelNode", "cancelRun", "pauseRun", "resumeRun"],
] as const;

interface Step {
  readonly what: (typeof WHAT)[number];
  readonly at: number;
  readonly number: number;
  readonly death: Death | null;
}

const deaths: fc.Arbitrary<Death> = fc.record({
  statement: fc.integer({ min: 1, max: 12 }),
  side: fc.constantFrom("before" as const, "after" as const),
});

const histories: fc.Arbitrary<{ plan: RandomPlan; steps: Step[] }> = fc.record({
  plan: randomPlans({ maxNodes: 5, delays: ["1h"], jitter: [0, 0], deadline: "1d", wait: "1h" }),
  steps: fc.array(
    fc.record({ what: fc.constantFrom(...WHAT), at: fc.nat(20), number: fc.nat(60), death: fc.option(deaths, { nil: null, freq: 3 }) }),
    { minLength: 4, maxLength: 18, size: "max" },
  ),
});

const keyAt = (run: CrashingRun, at: number): string => run.plan.nodes[at % run.plan.nodes.length]?.key ?? "n0";

async function begin(run: CrashingRun, death: Death | null): Promise<void> {
  const idempotencyKey = `once-${run.group}`;
  const trigger = (ctx: Ctx) => triggerRun(ctx, { projectId: project.id, pipeline: run.pipeline.pipelineId, idempotencyKey, kind: "api" });
  // Whoever got no answer asks again: the key makes it one run.
  const made = (await run.act(death, trigger)) ?? (await run.act(null, trigger));
  if (!made || !("value" in made)) throw new Error("the run could not be triggered");
  run.runId = made.value.id;
  run.tell((naive) => naive.activate());
  await run.agrees("the trigger");
}

async function claim(run: CrashingRun, { at, number, death }: Step): Promise<void> {
  const by = await run.hand(at);
  const limit = 1 + (number % 3);
  const ready = run.naive.paused ? 0 : run.naive.nodes.filter(({ state }) => state === "QUEUED").length;
  const taken = await run.act(death, (ctx) => claimReady(ctx, { worker: by.lease, groups: [run.group], limit, memory: by.memory }));
  const started = await run.adoptStarts();
  if (!taken || !("value" in taken)) return run.agrees("a claim that died");
  run.held.push(...taken.value.map((claimed) => ({ claimed, by })));
  expect(taken.value.map(({ key }) => key).sort()).toEqual(started.sort());
  expect(started).toHaveLength(Math.min(limit, ready));
  await run.agrees("a claim");
}

const tellReport =
  ({ key, token }: HeldAttempt["claimed"], { end, died, inner = 0 }: End) =>
  (naive: NaiveRun): Answer => {
    switch (end.kind) {
      case "succeeded":
        return naive.succeeded(key, token);
      case "handedBack":
        return naive.handedBack(key, token, true);
      case "failed":
      case "timedOut":
        return naive.failed(key, token, { how: died ? "died" : end.kind, retryable: !("retryable" in end), jitter: 0.5, inner });
    }
  };

/** As its worker reports it, who counts what was retried inside, and how often what ran it has died. */
function reportWith(run: CrashingRun, { claimed }: HeldAttempt, { end, died, inner }: End): AttemptReport {
  const report = reportOf(claimed, end);
  if (report.kind !== "failed" && report.kind !== "timedOut") return report;
  const deaths = died ? { deaths: run.naive.node(claimed.key).deaths + 1 } : {};
  return { ...report, failure: { ...report.failure, ...deaths, ...(inner ? { innerRetries: inner } : {}) } };
}

/** One or two reports in one commit, of attempts that the worker holds, or held once. */
async function report(run: CrashingRun, { what, at, number, death }: Step): Promise<void> {
  const first = what === "settleOld" ? run.held[at % Math.max(1, run.held.length)] : run.held.at(-1 - (at % 3));
  const second = number % 3 === 0 ? run.held[number % Math.max(1, run.held.length)] : undefined;
  const [one] = [first, second].filter((held) => held !== undefined);
  if (!one) return;
  const told = [first, second].flatMap((held, index) =>
    held && held.by === one.by ? [{ held, end: ENDS[(number + index * 3) % ENDS.length] ?? ENDS[0] }] : [],
  );
  const reports = told.map(({ held, end }) => reportWith(run, held, end));
  const free: Record<string, number> = number % 2 === 0 ? { [run.group]: 2 } : {};
  // A worker's memory outlives its connection; now and then it settles without any.
  const memory = number % 5 === 0 ? {} : { memory: one.by.memory };
  const settled = await run.act(death, (ctx) => settle(ctx, { worker: one.by.lease, reports, free, ...memory }));
  const tells = told.map(({ held, end }) => tellReport(held.claimed, end));
  if (!settled || !("value" in settled)) return void (await run.tellIfDone(tells));
  const right = told.map(({ held, end }, index) => {
    const repeat = run.isRepeat(held.claimed, end.outcome);
    const answer = run.tell(tells[index] ?? (() => undefined));
    return answer === "applied" || repeat ? "applied" : "superseded";
  });
  expect(settled.value.settlements.map(({ result }) => result)).toEqual(right);
  expect(settled.value.handedOn.map(({ key }) => key).sort()).toEqual((await run.adoptStarts()).sort());
  run.held.push(...settled.value.handedOn.map((claimed) => ({ claimed, by: one.by })));
  await run.agrees("a settle");
}

const TIMED_OUT = { how: "timedOut", retryable: true, jitter: 0.5 } as const;
const tokenOf = (naive: NaiveRun, key: string) => naive.node(key).token;

/** What a sweeper's event means to the model. */
const SWEEPS: Readonly<Record<string, { verb: Recover; tell: (naive: NaiveRun, key: string) => Answer }>> = {
  dueRetry: { verb: queueDueRetries, tell: (naive, key) => naive.due(key) },
  elapsedWait: { verb: endElapsedWaits, tell: (naive, key) => naive.due(key) },
  timeout: { verb: endOverdueAttempts, tell: (naive, key) => naive.failed(key, tokenOf(naive, key), TIMED_OUT) },
  deadline: { verb: endOverdueDeadlines, tell: (naive, key) => naive.deadlinePassed(key) },
  loseWorker: { verb: recoverLostWorkers, tell: (naive, key) => naive.lost(key, tokenOf(naive, key)) },
};
const CAUSES: ReadonlySet<string> = new Set(["retryDue", "succeeded", "attemptTimedOut", "deadlinePassed", "workerLost"]);

/** A loop of the leader: it looks, it may die, and the next leader looks again. */
async function sweep(run: CrashingRun, { what, at, death }: Pick<Step, "what" | "at" | "death">): Promise<void> {
  const { verb, tell } = SWEEPS[what] ?? { verb: queueDueRetries, tell: () => "refused" };
  const key = keyAt(run, at);
  if (what === "loseWorker") await run.loseHand(at);
  else if (what === "timeout" || what === "deadline") await run.lapse(what, key);
  else await run.lapse("due", key);
  await run.newEvents();
  for (const fatal of [death, null]) {
    const swept = await run.act(fatal, (ctx) => verb(ctx, fence));
    for (const { event, key: found } of await run.newEvents()) {
      if (!CAUSES.has(event)) continue;
      const answer = run.tell((naive) => tell(naive, found));
      if (answer !== "applied") throw new Error(`${what} did ${event} to ${found}, and by the model it is ${answer}`);
    }
    await run.agrees(swept ? `the sweep of ${what}` : `a sweep of ${what} that died`);
    if (swept && fatal === death) break;
  }
}

async function wish(run: CrashingRun, { what, at, number, death }: Step): Promise<void> {
  const key = keyAt(run, at);
  const seq = (await runOf(direct, run.runId)).seq;
  const stale = number % 10 === 0 && seq > 0;
  const input = { runId: run.runId, reason: REASON, ...(stale ? { expectedSeq: seq - 1 } : {}) };
  const ofNode = what in WISHES;
  const verb = (ctx: Ctx) => {
    if (ofNode)
      return (WISHES[what as keyof typeof WISHES] as (ctx: Ctx, given: NodeIntervention) => Promise<unknown>)(ctx, { ...input, key });
    return RUN_WISHES[what as keyof typeof RUN_WISHES](ctx, input);
  };
  const tell = (naive: NaiveRun): Answer => tellWish(naive, what, key);
  const done = await run.act(death, verb);
  if (!done) return void (await run.tellIfDone(stale ? [] : [tell]));
  if (stale) expect("refused" in done && done.refused.code).toBe("stale");
  else {
    const answer = "refused" in done ? "refused" : "applied";
    if ("refused" in done) expect(done.refused.code).toBe("illegal_transition");
    expect(run.tell(tell), `${what} ${ofNode ? key : ""}`).toBe(answer);
  }
  await run.agrees(what);
}

function tellWish(naive: NaiveRun, what: string, key: string): Answer {
  switch (what) {
    case "retryNode":
      return naive.retry(key);
    case "rerunFrom":
      return naive.rerunFrom(key);
    case "skipNode":
      return naive.skip(key);
    case "markSuccess":
      return naive.markSuccess(key);
    case "cancelNode":
      return naive.cancelNode(key);
    case "cancelRun":
      return naive.cancelRun();
    case "pauseRun":
      return naive.pause();
    default:
      return naive.resume();
  }
}

async function take(run: CrashingRun, step: Step): Promise<void> {
  if (step.what === "claim") return claim(run, step);
  if (step.what === "settle" || step.what === "settleOld") return report(run, step);
  return step.what in SWEEPS ? sweep(run, step) : wish(run, step);
}

/** Faults stop: everything that is due comes due, workers succeed, and the run must come to rest. */
async function heal(run: CrashingRun): Promise<void> {
  const calm = { at: 0, number: 1, death: null };
  if (run.naive.paused) await wish(run, { ...calm, what: "resumeRun" });
  for (const at of [0, 1]) await sweep(run, { what: "loseWorker", at, death: null });
  run.held = [];
  for (let round = 0; round < 40 && run.naive.state === "RUNNING"; round++) {
    for (const [at, { key, type }] of run.plan.nodes.entries()) {
      if (run.naive.node(key).dueAt !== null) await sweep(run, { what: type === "wait" ? "elapsedWait" : "dueRetry", at, death: null });
    }
    await claim(run, { what: "claim", ...calm, number: 2 });
    for (const held of run.held.splice(0)) {
      run.held.push(held);
      await report(run, { what: "settle", ...calm });
      run.held.pop();
    }
  }
  const waitsForPerson = run.naive.nodes.some(({ state }) => ["FAILED", "TIMEOUT", "MANUAL_REVIEW", "CANCELED"].includes(state));
  expect(isTerminalRun(run.naive.state) || (run.naive.state === "PAUSED" && waitsForPerson), `it rests: ${run.naive.state}`).toBe(true);
}

const { settings, timeoutMs } = slowRuns<[{ plan: RandomPlan; steps: Step[] }]>(100);

describe("random histories over real tables, through processes that die at any statement", () => {
  it(
    "leave the rows where a naive model has them after every step, fold back from their events, and break no invariant (RUN-1, RUN-7, RUN-9, IDM-2, IDM-4, AUD-2)",
    async () => {
      const seen = { deaths: 0, histories: 0 };
      await fc.assert(
        fc.asyncProperty(histories, async ({ plan, steps }) => {
          const group = `g-${direct.ids.randomHex(4)}`;
          const nodes = plan.nodes.map((each) => (each.type === "wait" ? each : { ...each, group }));
          const pipeline = await makePipeline(direct, project, nodes, { onFailure: plan.onFailure });
          const run = await CrashingRun.open(direct, mortal, pipeline, group);
          try {
            await begin(run, steps[0]?.death ?? null);
            for (const step of steps) await take(run, step);
            await heal(run);
            const letters =
              await database.sql`select node_key, message from dead_letters where run_id = ${run.runId} and cause = 'undecidable'`;
            expect([...letters], "a lost connection is no fault of a node").toEqual([]);
            expect(await brokenInvariants(database.sql, { runIds: [run.runId], also: ["at rest"] })).toEqual([]);
          } finally {
            seen.deaths += run.deaths;
            seen.histories += 1;
          }
        }),
        settings,
      );
      expect(seen.deaths, "processes did die").toBeGreaterThan(seen.histories);
    },
    timeoutMs,
  );
});
