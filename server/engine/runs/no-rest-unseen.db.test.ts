import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { nodeRuns } from "@/db/schema/runs";
import {
  findDueRetries,
  findElapsedWaits,
  findForgottenGroups,
  findLost,
  findOverdueAttempts,
  findOverdueDeadlines,
  findStuckRetries,
} from "@/db/statements/state/recover";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node, planFor } from "@/db/testing/plans";
import { makeFence, makePipeline, makeWorker, startRun, statesOf } from "@/db/testing/runs";
import { decide } from "@/server/domain/run/decide";
import { NODE_STATES, type NodeState } from "@/server/domain/run/states";
import { NODE_TRANSITIONS } from "@/server/domain/run/transitions";
import type { Ctx } from "@/server/engine/context";
import { listBroken } from "@/server/engine/health/list-broken";
import { listReviews } from "@/server/engine/reviews/list-reviews";
import { claimReady } from "./claim";
import { reviewStuckRetries, STILL_MS } from "./review-stuck-retries";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
beforeEach(async () => {
  project = await makeProject(ctx);
});
afterAll(() => database.close());

const LONG_AGO = new Date(Date.UTC(2020, 0, 1));
const OLD = LONG_AGO.toISOString();
const ALL = 10_000;
type Row = Partial<typeof nodeRuns.$inferInsert>;

interface Resting {
  readonly runId: string;
  readonly group: string;
}

/** A node that rests in a state, put there past all decisions: only what looks at rows can find it. */
async function rest(state: NodeState, row: Row, runState = "RUNNING"): Promise<Resting> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
  await database.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`update run_events set at = ${OLD} where run_id = ${runId}`;
    await sql`update node_runs set state = ${state}, ready_at = ${OLD}, rank = ${OLD}, queued_at = ${OLD} where run_id = ${runId}`;
    await sql`update runs set state = ${runState}, started_at = ${OLD} where id = ${runId}`;
  });
  await ctx.db
    .update(nodeRuns)
    .set({ startedAt: LONG_AGO, ...row })
    .where(eq(nodeRuns.runId, runId));
  return { runId, group };
}

const among = async (found: Promise<readonly { readonly runId: string }[]>, { runId }: Resting) =>
  (await found).some((each) => each.runId === runId);
const isReviewed = async ({ runId }: Resting) =>
  (await listReviews(ctx, { projectId: project.id })).items.some(({ run }) => run.id === runId);
const isBroken = async ({ runId }: Resting) => JSON.stringify(await listBroken(ctx, project.id)).includes(runId);

interface Rest {
  readonly what: string;
  readonly begin: () => Promise<Resting>;
  /** Who comes upon it, however long it has rested. */
  readonly seen: Readonly<Record<string, (resting: Resting) => Promise<boolean>>>;
}

const ended = (state: "FAILED" | "TIMEOUT"): Rest => ({
  what: "in a run that waits for a person",
  begin: () => rest(state, { endedAt: new Date(), errorCode: "TEST_A_B_1" }, "PAUSED"),
  seen: { "what is broken, on the home screen": isBroken },
});

/** Each way to rest in a state that is no good end. Of the others it is said why nobody need come. */
const TABLE: Readonly<Record<NodeState, readonly Rest[] | string>> = {
  PENDING:
    "it waits for others; where none of them moves any more the run is PAUSED, and where it has not had its turn the turns' loop looks each second",
  QUEUED: [
    {
      what: "with a worker that has not heard of it",
      begin: async () => {
        const resting = await rest("QUEUED", {});
        await makeWorker(ctx, [resting.group]);
        return resting;
      },
      seen: { "the loop of forgotten rings": async ({ group }) => (await findForgottenGroups(ctx.db, 1_000)).includes(group) },
    },
    {
      what: "again, past its total deadline",
      begin: () => rest("QUEUED", { deadlineAt: LONG_AGO }),
      seen: { "the loop of total deadlines": (resting) => among(findOverdueDeadlines(ctx.db, 0, ALL), resting) },
    },
  ],
  RUNNING: [
    {
      what: "at a worker that is gone",
      begin: async () => {
        const lease = await makeWorker(ctx, ["default"]);
        await ctx.db.update(workers).set({ expiresAt: LONG_AGO }).where(eq(workers.id, lease.id));
        return rest("RUNNING", { workerId: lease.id, workerBoot: lease.bootId });
      },
      seen: { "the loop of lost workers": (resting) => among(findLost(ctx.db, ALL), resting) },
    },
    {
      what: "at a worker that does not end it",
      begin: () => rest("RUNNING", { timeoutAt: LONG_AGO, deadlineAt: LONG_AGO }),
      seen: {
        "the loop of time-outs": (resting) => among(findOverdueAttempts(ctx.db, 0, ALL), resting),
        "the loop of total deadlines": (resting) => among(findOverdueDeadlines(ctx.db, 0, ALL), resting),
      },
    },
    {
      what: "as a wait whose time is over",
      begin: () => rest("RUNNING", { dueAt: LONG_AGO }),
      seen: { "the loop of waits": (resting) => among(findElapsedWaits(ctx.db, ALL), resting) },
    },
  ],
  RETRYING: [
    {
      what: "past the time of its retry",
      begin: () => rest("RETRYING", { dueAt: LONG_AGO }),
      seen: {
        "the loop of retries": (resting) => among(findDueRetries(ctx.db, ALL), resting),
        "the loop of retries that stand still": (resting) => among(findStuckRetries(ctx.db, STILL_MS, ALL), resting),
      },
    },
    {
      what: "without a time for it",
      begin: () => rest("RETRYING", {}),
      seen: { "the loop of retries that stand still": (resting) => among(findStuckRetries(ctx.db, STILL_MS, ALL), resting) },
    },
  ],
  AWAITING_APPROVAL: "no type of node asks for one yet: nothing that is decided leads there",
  MANUAL_REVIEW: [
    {
      what: "for ever",
      begin: () => rest("MANUAL_REVIEW", { endedAt: LONG_AGO }, "PAUSED"),
      seen: { "the review queue": isReviewed, "what is broken, on the home screen": isBroken },
    },
  ],
  FAILED: [ended("FAILED")],
  TIMEOUT: [ended("TIMEOUT")],
  SUCCESS: "it is done",
  SKIPPED: "it is passed over for good, by a person, a branch, or its fallback, which rests in a state of its own",
  CANCELED: "a person, or a failure that is shown, has ended it",
};

describe("no state lets a task rest unseen (EXC-8)", () => {
  for (const state of NODE_STATES) {
    const rests = TABLE[state];
    if (typeof rests === "string") continue;
    for (const { what, begin, seen } of rests) {
      it(`a node that is ${state} ${what} is come upon by ${Object.keys(seen).join(" and by ")} (EXC-8)`, async () => {
        const resting = await begin();
        for (const [by, sees] of Object.entries(seen)) expect([by, await sees(resting)]).toEqual([by, true]);
      });
    }
  }

  it("the states that nobody looks for are ends that are well, or cannot be reached, or wait for what is looked for (EXC-8)", () => {
    const unseen = NODE_STATES.filter((state) => typeof TABLE[state] === "string");
    expect(unseen).toEqual(["PENDING", "AWAITING_APPROVAL", "SUCCESS", "CANCELED", "SKIPPED"]);
    const asking = NODE_STATES.flatMap((from) => (NODE_TRANSITIONS[from].approvalRequested ? [from] : []));
    expect(asking).toEqual(["PENDING"]);
    const plan = planFor([node("a")]);
    const born = { id: "r", state: "PENDING", activated: false, cancelRequested: false, pausedByPerson: false } as const;
    const facts = { ...born, nodes: new Map() };
    const decision = decide(plan, facts, { kind: "activated" }, { now: LONG_AGO });
    expect(decision.kind === "applied" && decision.changes.some(({ event }) => event === "approvalRequested")).toBe(false);
  });
});

describe("the sweeper of retries that stand still (EXC-8)", () => {
  it("sends to a person what waits for a retry without a time, and what has used its retries up; each once (EXC-8)", async () => {
    const fence = await makeFence(ctx);
    const [unset, usedUp, late] = [
      await rest("RETRYING", { attempts: 1 }),
      await rest("RETRYING", { attempts: 9, dueAt: LONG_AGO }),
      await rest("RETRYING", { attempts: 1, dueAt: LONG_AGO }),
    ];
    expect((await reviewStuckRetries(ctx, fence)).count).toBeGreaterThanOrEqual(2);
    expect((await reviewStuckRetries(ctx, fence)).count).toBe(0);
    const states = await Promise.all([unset, usedUp, late].map(({ runId }) => statesOf(ctx, runId)));
    expect(states).toEqual([{ a: "MANUAL_REVIEW" }, { a: "MANUAL_REVIEW" }, { a: "RETRYING" }]);
    const { items } = await listReviews(ctx, { projectId: project.id });
    expect(items.map(({ cause }) => cause)).toEqual(["stuck", "stuck"]);
  });

  it("leaves alone what has moved within 5 minutes (EXC-8)", async () => {
    const resting = await rest("RETRYING", {});
    await database.sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`insert into run_events (run_id, event, node_key, actor, cause) values (${resting.runId}, 'attemptFailed', 'a', '{}', 'just now')`;
    });
    expect(await among(findStuckRetries(ctx.db, STILL_MS, ALL), resting)).toBe(false);
    const worker = await makeWorker(ctx, [resting.group]);
    expect(await claimReady(ctx, { worker, groups: [resting.group], limit: 1 })).toEqual([]);
  });
});
