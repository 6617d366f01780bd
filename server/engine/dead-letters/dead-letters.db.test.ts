import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deadLetters } from "@/db/schema/dead-letters";
import { audit, workers } from "@/db/schema/platform";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { failureOf, type NodeInput, node, waitNode } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, nodesByKey, reportOf, runOf, startRun, statesOf } from "@/db/testing/runs";
import type { WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { claimReady } from "@/server/engine/runs/claim";
import { countDeaths } from "@/server/engine/runs/count-deaths";
import { endElapsedWaits } from "@/server/engine/runs/end-elapsed-waits";
import { markSuccess } from "@/server/engine/runs/mark-success";
import { recoverLostWorkers } from "@/server/engine/runs/recover-lost-workers";
import { settle } from "@/server/engine/runs/settle";
import { closeMovedLetters } from "./close-moved-letters";
import { discardDeadLetter } from "./discard-dead-letter";
import { countOpenLetters, listDeadLetters } from "./list-dead-letters";
import { loadDeadLetter } from "./load-dead-letter";
import { releaseDeadLetter } from "./release-dead-letter";

let database: TestDatabase;
let ctx: Ctx;
let operator: Ctx;
let project: { id: string };
let fence: Fence;
const MANY: Partial<NodeInput> = { retry: { retries: 20, delays: ["1s"] } };
const reason = "the host was replaced";

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  project = await makeProject(ctx);
  operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
});
afterAll(() => database.close());

async function begin(more: object = MANY): Promise<{ runId: string; group: string }> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  return {
    group,
    runId: await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, ...more }), node("b", ["a"], { group })])),
  };
}

const expire = ({ id }: WorkerLease) =>
  ctx.db
    .update(workers)
    .set({ expiresAt: new Date(0) })
    .where(eq(workers.id, id));

/** A worker takes what is ready in the group, and is never heard of again. */
async function lose(group: string): Promise<void> {
  const worker = await makeWorker(ctx, [group]);
  expect(await claimReady(ctx, { worker, groups: [group], limit: 1 })).toHaveLength(1);
  await expire(worker);
  await recoverLostWorkers(ctx, fence);
}

async function lostThrice(): Promise<{ runId: string; group: string; id: string }> {
  const { runId, group } = await begin();
  for (let time = 1; time <= 3; time++) await lose(group);
  const [letter] = (await listDeadLetters(ctx, { projectId: project.id })).items;
  if (!letter) throw new Error("there is no letter");
  return { runId, group, id: letter.id };
}

const lastAudit = async () => {
  const [row] = await ctx.db.select().from(audit).where(eq(audit.projectId, project.id)).orderBy(desc(audit.seq)).limit(1);
  return row;
};

describe("a node that is lost or dies too often", () => {
  it("goes round twice and no further: the third loss sends it to a person, with its cause and what led to it (RTY-3, P19)", async () => {
    const { runId, group } = await begin();
    await lose(group);
    await lose(group);
    expect(await statesOf(ctx, runId)).toEqual({ a: "QUEUED", b: "PENDING" });
    expect(await countOpenLetters(ctx, project.id)).toBe(0);
    await lose(group);
    expect(await statesOf(ctx, runId)).toEqual({ a: "MANUAL_REVIEW", b: "PENDING" });
    const [letter, ...others] = (await listDeadLetters(operator, { projectId: project.id })).items;
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      run: { id: runId, state: "PAUSED" },
      node: { key: "a", state: "MANUAL_REVIEW", group },
      cause: "lost",
      why: expect.stringContaining("3 of its attempts"),
      error: { code: "APOLLO_WORKER_LOST_503" },
      closed: null,
    });
    const { attempts } = await loadDeadLetter(operator, { id: letter?.id ?? "" });
    expect(attempts.map(({ no, outcome }) => [no, outcome])).toEqual([
      [1, "lost"],
      [2, "lost"],
      [3, "lost"],
    ]);
    expect(new Set(attempts.map(({ workerId }) => workerId)).size).toBe(3);
  });

  it("counts losses and deaths of what runs it as one, by its generation (P19, F19)", async () => {
    const { runId, group } = await begin();
    await lose(group);
    const worker = await makeWorker(ctx, [group]);
    const [claimed] = await claimReady(ctx, { worker, groups: [group], limit: 1 });
    if (!claimed) throw new Error("nothing was ready");
    const deaths = 1 + (await countDeaths(ctx, claimed));
    expect(deaths).toBe(2);
    const failure = { ...failureOf("TEST_TASK_CRASH_500"), deaths: 3 };
    const { failure: _, ...report } = { failure: null, ...reportOf(claimed, { kind: "failed" }) };
    await settle(ctx, { worker, reports: [{ ...report, kind: "failed", failure }], free: {} });
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({ state: "MANUAL_REVIEW", maybeRepeated: true });
    const { items } = await listDeadLetters(ctx, { projectId: project.id, cause: "died" });
    expect(items).toMatchObject([{ run: { id: runId }, cause: "died", error: { code: "TEST_TASK_CRASH_500" } }]);
    expect((await listDeadLetters(ctx, { projectId: project.id, cause: "lost" })).items).toEqual([]);
  });

  it("is no dead letter where a person sends it to review, nor where its attempts only fail", async () => {
    const { group } = await begin({ retry: { policy: "none" } });
    await drive(ctx, await makeWorker(ctx, [group]), { groups: [group], end: () => ({ kind: "failed", retryable: false }) });
    expect(await countOpenLetters(ctx, project.id)).toBe(0);
  });
});

describe("a dead letter", () => {
  it("is released by a person with a reason: the node runs again with a fresh budget, audited in the same commit (AUD-2, RUN-3)", async () => {
    const { runId, group, id } = await lostThrice();
    const before = (await nodesByKey(ctx, runId)).get("a");
    await releaseDeadLetter(operator, { id, reason });
    expect((await nodesByKey(ctx, runId)).get("a")).toMatchObject({
      state: "QUEUED",
      generation: 2,
      attempts: 0,
      executionId: before?.executionId,
    });
    expect(await lastAudit()).toMatchObject({
      verb: "letter.release",
      reason,
      actorKind: "user",
      objectId: runId,
      after: { deadLetter: id, cause: "lost", nodeState: "QUEUED" },
    });
    expect(await loadDeadLetter(operator, { id })).toMatchObject({
      closed: { as: "released", reason, by: { kind: "user" } },
    });
    await drive(ctx, await makeWorker(ctx, [group]), { groups: [group] });
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
    expect((await listDeadLetters(ctx, { projectId: project.id, show: "closed" })).items.map((each) => each.id)).toEqual([id]);
  });

  it("is a letter again where its new generation is lost as often", async () => {
    const { group, id } = await lostThrice();
    await releaseDeadLetter(operator, { id, reason });
    for (let time = 1; time <= 3; time++) await lose(group);
    const { items } = await listDeadLetters(ctx, { projectId: project.id });
    expect(items).toMatchObject([{ generation: 2, closed: null }]);
    expect(items[0]?.id).not.toBe(id);
  });

  it("has an id that follows from what it is about, so that nobody writes it twice (RTY-3)", async () => {
    const { runId, id } = await lostThrice();
    const [same] = await database.sql`
      select dead_letter_id(run_id, node_key, generation, cause, attempt_no) as id from dead_letters where run_id = ${runId}`;
    const [others] = await database.sql`
      select count(distinct dead_letter_id(${runId}, k, g, c, n))::integer as n
      from unnest(array['a', 'b']) k, generate_series(1, 2) g, unnest(array['lost', 'died']) c, generate_series(1, 2) n`;
    expect([same?.id, others?.n]).toEqual([id, 16]);
  });

  it("is discarded with a reason: its node is cancelled and never runs again, audited in the same commit (AUD-2)", async () => {
    const { runId, group, id } = await lostThrice();
    await discardDeadLetter(operator, { id, reason });
    expect((await statesOf(ctx, runId)).a).toBe("CANCELED");
    expect(await lastAudit()).toMatchObject({ verb: "letter.discard", reason, after: { deadLetter: id, nodeState: "CANCELED" } });
    expect(await loadDeadLetter(operator, { id })).toMatchObject({ closed: { as: "discarded", reason } });
    expect(await claimReady(ctx, { worker: await makeWorker(ctx, [group]), groups: [group], limit: 5 })).toEqual([]);
  });

  it("is closed by whatever else takes its node out of review, and then takes no release (SEC-3)", async () => {
    const { runId, id } = await lostThrice();
    await markSuccess(operator, { runId, key: "a", reason, output: null });
    expect(await loadDeadLetter(operator, { id })).toMatchObject({ closed: { as: "moved", reason } });
    for (const act of [releaseDeadLetter, discardDeadLetter]) {
      await expect(act(operator, { id, reason })).rejects.toMatchObject({ code: "stale" });
    }
  });

  it("is acted on once where two people press at once: the other is told that it has moved", async () => {
    const { runId, id } = await lostThrice();
    const ends = await Promise.allSettled([
      releaseDeadLetter(operator, { id, reason }),
      discardDeadLetter(operator, { id, reason }),
      releaseDeadLetter(operator, { id, reason }),
    ]);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends) if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "stale" });
    const deeds = await ctx.db
      .select()
      .from(audit)
      .where(and(eq(audit.projectId, project.id), eq(audit.objectId, runId)));
    expect(deeds.filter(({ verb }) => verb.startsWith("letter."))).toHaveLength(1);
  });

  it("is seen by those of its project alone, and acted on by those who may intervene (AUD-1, P14)", async () => {
    const { runId, id } = await lostThrice();
    const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    expect(await loadDeadLetter(viewer, { id })).toMatchObject({ id });
    for (const act of [releaseDeadLetter, discardDeadLetter]) {
      await expect(act(viewer, { id, reason })).rejects.toMatchObject({ code: "forbidden" });
      await expect(act(stranger, { id, reason })).rejects.toMatchObject({ code: "not_found" });
      await expect(act(operator, { id, reason: " " })).rejects.toMatchObject({ code: "invalid_input" });
    }
    await expect(loadDeadLetter(stranger, { id })).rejects.toMatchObject({ code: "not_found" });
    await expect(listDeadLetters(stranger, { projectId: project.id })).rejects.toMatchObject({ code: "not_found" });
    expect((await statesOf(ctx, runId)).a).toBe("MANUAL_REVIEW");
  });

  it("stands on one page and no other, whatever comes meanwhile (B91)", async () => {
    for (let n = 0; n < 5; n++) await lostThrice();
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listDeadLetters(ctx, { projectId: project.id, limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
    await expect(listDeadLetters(ctx, { projectId: project.id, cursor: "x" })).rejects.toMatchObject({ code: "invalid_input" });
  });
});

describe("a dead letter whose node is no more", () => {
  it("is neither counted nor shown, and is closed (OBS-1)", async () => {
    const { runId, id } = await lostThrice();
    expect(await countOpenLetters(ctx, project.id)).toBe(1);
    await database.sql`delete from node_runs where run_id = ${runId}`;
    const { items } = await listDeadLetters(ctx, { projectId: project.id });
    expect([items.length, await countOpenLetters(ctx, project.id)]).toEqual([0, 0]);
    expect((await closeMovedLetters(ctx, fence)).count).toBe(1);
    expect(await ctx.db.select().from(deadLetters).where(eq(deadLetters.id, id))).toMatchObject([{ closedAs: "moved" }]);
  });
});

describe("a node that the engine cannot decide on", () => {
  async function stuckWait(): Promise<{ runId: string; mend: () => Promise<unknown> }> {
    const runId = await startRun(ctx, await makePipeline(ctx, project, [waitNode("w", [], { for: "1h" })]));
    await database.sql`update node_runs set due_at = clock_timestamp() - interval '10 milliseconds' where run_id = ${runId}`;
    await database.sql.unsafe(`
      create or replace function refuse_one() returns trigger language plpgsql as $$
        begin raise exception 'this row is broken' using errcode = 'XX001'; end $$;
      create trigger refuse_one before update on node_runs for each row when (old.run_id = '${runId}') execute function refuse_one();`);
    await endElapsedWaits(ctx, fence);
    return { runId, mend: () => database.sql.unsafe("drop trigger refuse_one on node_runs") };
  }
  const open = async () => (await listDeadLetters(ctx, { projectId: project.id })).items;

  it("is a dead letter with what ails it, once, and closes it by itself when it is put right (RTY-3)", async () => {
    const { runId, mend } = await stuckWait();
    await endElapsedWaits(ctx, fence);
    expect(await open()).toMatchObject([
      {
        run: { id: runId },
        cause: "undecidable",
        error: { code: "APOLLO_NODE_UNDECIDABLE_500", message: expect.stringContaining("this row is broken") },
      },
    ]);
    await expect(closeMovedLetters(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toMatchObject({ code: "stale" });
    expect((await closeMovedLetters(ctx, fence)).count).toBe(0);
    await mend();
    await endElapsedWaits(ctx, fence);
    expect((await closeMovedLetters(ctx, fence)).count).toBe(1);
    expect(await open()).toEqual([]);
    expect(await ctx.db.select().from(deadLetters).where(eq(deadLetters.runId, runId))).toMatchObject([{ closedAs: "moved" }]);
  });

  it("is opened anew where it was released and is stuck again, and discarded it is cancelled (AUD-2)", async () => {
    const { runId, mend } = await stuckWait();
    const [letter] = await open();
    const id = letter?.id ?? "";
    await releaseDeadLetter(operator, { id, reason });
    expect(await lastAudit()).toMatchObject({ verb: "letter.release", reason, after: { deadLetter: id } });
    expect(await open()).toEqual([]);
    await endElapsedWaits(ctx, fence);
    expect((await open()).map((each) => each.id)).toEqual([id]);
    await mend();
    await discardDeadLetter(operator, { id, reason });
    expect(await loadDeadLetter(ctx, { id })).toMatchObject({ closed: { as: "discarded" } });
    expect((await statesOf(ctx, runId)).w).toBe("CANCELED");
  });
});
