import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workers } from "@/db/schema/platform";
import { nodeRuns } from "@/db/schema/runs";
import { findStuckRetries } from "@/db/statements/state/recover";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node, planFor, waitNode } from "@/db/testing/plans";
import { makeFence, makePipeline, makeWorker, startRun, statesOf } from "@/db/testing/runs";
import { judgeGroup } from "@/server/domain/alert/silence-alarm";
import { decide } from "@/server/domain/run/decide";
import { NODE_STATES, type NodeState } from "@/server/domain/run/states";
import { NODE_TRANSITIONS } from "@/server/domain/run/transitions";
import { waitingGroups } from "@/server/engine/alerts/silence-facts";
import type { Ctx } from "@/server/engine/context";
import { listBroken } from "@/server/engine/health/list-broken";
import { listReviews } from "@/server/engine/reviews/list-reviews";
import { closeValve } from "@/server/engine/valves/close-valve";
import { listHeldNodes, listValves } from "@/server/engine/valves/list-valves";
import { claimReady } from "./claim";
import { endElapsedWaits } from "./end-elapsed-waits";
import { endOverdueAttempts } from "./end-overdue-attempts";
import { endOverdueDeadlines } from "./end-overdue-deadlines";
import { queueDueRetries } from "./queue-due-retries";
import type { Recover } from "./recover";
import { recoverLostWorkers } from "./recover-lost-workers";
import { reviewStuckRetries, STILL_MS } from "./review-stuck-retries";
import { ringForgotten } from "./ring-forgotten";

const ports = recordingPorts();
let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { ports });
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
async function rest(
  state: NodeState,
  row: Row,
  runState = "RUNNING",
  make = (group: string) => node("a", [], { group }),
): Promise<Resting> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [make(group)]));
  await database.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`update run_events set at = ${OLD} where run_id = ${runId}`;
    await sql`update node_runs set state = ${state}, ready_at = ${OLD}, rank = ${OLD}, queued_at = ${OLD} where run_id = ${runId}`;
    await sql`update runs set state = ${runState}, started_at = ${OLD}, paused_by_person = ${row.held ?? false} where id = ${runId}`;
  });
  await ctx.db
    .update(nodeRuns)
    .set({ startedAt: LONG_AGO, ...row })
    .where(eq(nodeRuns.runId, runId));
  return { runId, group };
}

const isReviewed = async ({ runId }: Resting) =>
  (await listReviews(ctx, { projectId: project.id })).items.some(({ run }) => run.id === runId);
const isBroken = async ({ runId }: Resting) => JSON.stringify(await listBroken(ctx, project.id)).includes(runId);
const isHeldByValve = async ({ runId }: Resting) => {
  const { items } = await listValves(ctx, { projectId: project.id });
  const held = await Promise.all(items.map(({ no }) => listHeldNodes(ctx, { projectId: project.id, no })));
  return held.flat().some((each) => each.runId === runId);
};
/** The alarm that the leader raises for a group whose work nobody takes, with its cause. */
const isAlarmed = async ({ group }: Resting) => {
  const leader = { holder: "h", epoch: 1, goneMs: null };
  const groups = (await waitingGroups(ctx.db)).filter(({ fact }) => fact.group === group);
  return groups.some(({ fact }) => judgeGroup({ ...fact, depths: [] }, leader, new Date())?.code === "APOLLO_SILENT_GROUP_503");
};

/** A mover: it takes the node out of where it rests, and to here. */
const moved =
  (by: Recover, to: NodeState) =>
  async ({ runId }: Resting): Promise<boolean> => {
    await by(ctx, await makeFence(ctx), { limit: ALL });
    return (await statesOf(ctx, runId)).a === to;
  };

interface Rest {
  readonly what: string;
  readonly begin: () => Promise<Resting>;
  /** Who moves it on, or where it is shown, however long it has rested. */
  readonly by: Readonly<Record<string, (resting: Resting) => Promise<boolean>>>;
}

const ended = (state: "FAILED" | "TIMEOUT"): Rest => ({
  what: "in a run that waits for a person",
  begin: () => rest(state, { endedAt: new Date(), errorCode: "TEST_A_B_1" }, "PAUSED"),
  by: { "shown among what is broken, on the home screen": isBroken },
});

async function gone(): Promise<Row> {
  const lease = await makeWorker(ctx, ["default"]);
  await ctx.db.update(workers).set({ expiresAt: LONG_AGO }).where(eq(workers.id, lease.id));
  return { workerId: lease.id, workerBoot: lease.bootId, token: 1, attempts: 1, attemptNo: 1 };
}

const taken = { token: 1, attempts: 1, attemptNo: 1 };

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
      by: {
        "rung for again by the loop of forgotten rings": async ({ group }) => {
          await ringForgotten(ctx, await makeFence(ctx));
          return ports.rung.includes(group);
        },
      },
    },
    {
      what: "again, past its total deadline",
      begin: () => rest("QUEUED", { ...taken, deadlineAt: LONG_AGO }),
      by: { "ended by the loop of total deadlines": moved(endOverdueDeadlines, "TIMEOUT") },
    },
    { what: "in a group that has no worker at all", begin: () => rest("QUEUED", {}), by: { "alarmed for its group": isAlarmed } },
    {
      what: "in a group whose only worker is out by its breaker",
      begin: async () => {
        const resting = await rest("QUEUED", {});
        const { id } = await makeWorker(ctx, [resting.group]);
        await ctx.db.update(workers).set({ tripped: true }).where(eq(workers.id, id));
        return resting;
      },
      by: { "alarmed for its group": isAlarmed },
    },
    {
      what: "held by a stop valve",
      begin: async () => {
        const resting = await rest("QUEUED", { deadlineAt: LONG_AGO });
        await closeValve(ctx, { projectId: project.id, target: { kind: "group", group: resting.group }, reason: "a test" });
        return resting;
      },
      by: { "shown with its valve": isHeldByValve },
    },
    {
      what: "after a failure, held by a pause, past its total deadline",
      begin: () => rest("QUEUED", { ...taken, held: true, errorCode: "TEST_A_B_1", deadlineAt: LONG_AGO }, "PAUSED"),
      by: { "shown among what is broken, on the home screen": isBroken },
    },
  ],
  RUNNING: [
    {
      what: "at a worker that is gone",
      begin: async () => rest("RUNNING", await gone()),
      by: { "queued anew by the loop of lost workers": moved(recoverLostWorkers, "QUEUED") },
    },
    {
      what: "past its time, at a worker that does not end it",
      begin: () => rest("RUNNING", { ...taken, timeoutAt: LONG_AGO }),
      by: { "ended by the loop of time-outs, and tried again by its policy": moved(endOverdueAttempts, "RETRYING") },
    },
    {
      what: "past its total deadline, at a worker that does not end it",
      begin: () => rest("RUNNING", { ...taken, timeoutAt: LONG_AGO, deadlineAt: LONG_AGO }),
      by: { "ended by the loop of total deadlines": moved(endOverdueDeadlines, "TIMEOUT") },
    },
    {
      what: "as a wait whose time is over",
      begin: () => rest("RUNNING", { dueAt: LONG_AGO }, "RUNNING", () => waitNode("a", [], { for: "1h" })),
      by: { "ended by the loop of waits": moved(endElapsedWaits, "SUCCESS") },
    },
  ],
  RETRYING: [
    {
      what: "past the time of its retry",
      begin: () => rest("RETRYING", { ...taken, dueAt: LONG_AGO }),
      by: { "queued by the loop of retries": moved(queueDueRetries, "QUEUED") },
    },
    {
      what: "with its retries used up",
      begin: () => rest("RETRYING", { attempts: 9, dueAt: LONG_AGO }),
      by: { "sent to a person by the loop of retries that stand still": moved(reviewStuckRetries, "MANUAL_REVIEW") },
    },
    {
      what: "without a time for it",
      begin: () => rest("RETRYING", taken),
      by: { "sent to a person by the loop of retries that stand still": moved(reviewStuckRetries, "MANUAL_REVIEW") },
    },
    {
      what: "held by a pause, past its total deadline",
      begin: () =>
        rest(
          "RETRYING",
          { ...taken, held: true, errorCode: "TEST_A_B_1", dueAt: new Date(Date.now() + 3_600_000), deadlineAt: LONG_AGO },
          "PAUSED",
        ),
      by: { "shown among what is broken, on the home screen": isBroken },
    },
  ],
  AWAITING_APPROVAL: "no type of node asks for one yet: nothing that is decided leads there",
  MANUAL_REVIEW: [
    {
      what: "for ever",
      begin: async () => {
        const resting = await rest("RUNNING", taken);
        await ctx.db.update(nodeRuns).set({ state: "MANUAL_REVIEW", endedAt: LONG_AGO }).where(eq(nodeRuns.runId, resting.runId));
        return resting;
      },
      by: { "shown in the review queue": isReviewed, "shown among what is broken, on the home screen": isBroken },
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
    for (const { what, begin, by } of rests) {
      it(`a node that is ${state} ${what} is ${Object.keys(by).join(" and ")} (EXC-8)`, async () => {
        const resting = await begin();
        for (const [how, holds] of Object.entries(by)) expect([how, await holds(resting)]).toEqual([how, true]);
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
    expect((await findStuckRetries(ctx.db, STILL_MS, ALL)).some(({ runId }) => runId === resting.runId)).toBe(false);
    const worker = await makeWorker(ctx, [resting.group]);
    expect(await claimReady(ctx, { worker, groups: [resting.group], limit: 1 })).toEqual([]);
  });
});
