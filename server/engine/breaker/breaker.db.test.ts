import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workerBreakers } from "@/db/schema/breakers";
import { audit, platformEvents, workers } from "@/db/schema/platform";
import { attempts, errorEvents } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import type { WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { claimReady } from "@/server/engine/runs/claim";
import { renewWorker } from "@/server/engine/workers/renew-worker";
import { closeBreaker } from "./close-breaker";
import { holdWorker } from "./hold-worker";
import { listBreakers } from "./list-breakers";
import { loadBoard } from "./load-board";
import { releaseHold } from "./release-hold";
import { reportProbe } from "./report-probe";
import { watchBreakers } from "./watch-breakers";

let database: TestDatabase;
let real: Ctx;
let ctx: Ctx;
let fence: { name: string; epoch: number };
let project: { id: string; key: string };
let worker: WorkerLease;
let startMs: number;
let nowMs: number;
const OOM = "APOLLO_WORKER_OOM_137";
const BAD = "SHOP_STOCK_SHORTAGE_409";

beforeAll(async () => {
  database = await openTestDatabase();
  real = testCtx(database.db);
  ctx = testCtx(database.db, { now: () => new Date(nowMs) });
  fence = await makeFence(real);
  project = await makeProject(real);
});
afterAll(() => database.close());
beforeEach(async () => {
  // What an earlier test left is out of sight.
  await database.db.delete(workers);
  await database.db.delete(workerBreakers);
  startMs = Date.now();
  nowMs = startMs;
  worker = await makeWorker(real);
});

const at = (seconds: number) => new Date(startMs + seconds * 1_000);
/** `0 oom, 40 ok`: seconds after the start, and how an attempt of the worker ended; then it is that late. */
async function record(text: string, of: Pick<WorkerLease, "id"> = worker, projectId = project.id): Promise<void> {
  for (const each of text.split(",")) {
    const [seconds = "", end = ""] = each.trim().split(" ");
    nowMs = startMs + Number(seconds) * 1_000;
    const when = new Date(nowMs);
    const runId = real.ids.uuid(when);
    const task = { runId, nodeKey: "a", generation: 1, executionId: runId, traceId: "t" };
    const outcome = end === "ok" ? "succeeded" : "failed";
    await database.db.insert(attempts).values({
      ...task,
      no: 1,
      token: 1,
      outcome,
      workerId: of.id,
      runState: "RUNNING",
      spanId: "s",
      dispatchedAt: when,
      committedAt: when,
    });
    if (end === "ok") continue;
    const code = end === "oom" ? OOM : end === "bad" ? BAD : end;
    const told = {
      ...task,
      id: real.ids.uuid(when),
      projectId,
      pipelineId: projectId,
      attemptNo: 1,
      code,
      message: "m",
      retryCount: 0,
      at: when,
    };
    await database.db.insert(errorEvents).values({ ...told, workerId: of.id });
  }
}
const failing = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `${from + index} bad`).join(", ");

/** Looks as the leader does, until there is nothing more to read. */
async function look(seconds?: number): Promise<void> {
  if (seconds !== undefined) nowMs = startMs + seconds * 1_000;
  while ((await watchBreakers(ctx, fence)).more);
}
const row = async () => (await database.db.select().from(workerBreakers).where(eq(workerBreakers.workerId, worker.id)))[0];
const stateNow = async () => (await row())?.state ?? "closed";
const eventsOf = async () => {
  const rows = await database.db.select().from(platformEvents);
  return rows
    .filter(({ data }) => data.workerId === worker.id)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ code }) => code.replace(/^APOLLO_(?:BREAKER_)?/, ""));
};
const calm = { refusing: null, report: {} } as const;

describe("the leader's look at the ends of attempts", () => {
  it.each([
    ["three kills for memory, 30 s apart", "0 oom, 5 ok, 30 oom, 60 oom", "open"],
    ["a burst of kills", "0 oom, 2 oom, 4 oom, 9 oom, 29 oom", "closed"],
    ["ten failures in a row", failing(10), "open"],
    ["a success of any node among ten failures", `${failing(5)}, 5 ok, ${failing(5, 6)}`, "closed"],
    ["a success before ten failures", `0 ok, ${failing(10, 1)}`, "open"],
  ])("after %s it is as the rule says, whether it looks once or after each (EXC-6)", async (_what, series, state) => {
    await record(series);
    await look();
    expect(await stateNow()).toBe(state);
    await database.db.delete(workerBreakers);
    const other = worker;
    worker = await makeWorker(real);
    for (const each of series.split(",")) {
      await record(each);
      await look();
    }
    expect(await stateNow()).toBe(state);
    expect(worker.id).not.toBe(other.id);
  });

  it("ten in a row with a code that fails on the other workers too are the job's, and take no worker out; with others of its own they do (EXC-6)", async () => {
    const others = [await makeWorker(real), await makeWorker(real)];
    for (const other of others) await record("0 ok, 1 bad, 2 bad, 3 bad, 4 ok", other);
    await record(failing(20, 5));
    await look();
    expect(await stateNow()).toBe("closed");
    await record(Array.from({ length: 10 }, (_, index) => `${40 + index} SHOP_DISK_FULL_500`).join(", "));
    await look();
    expect(await stateNow()).toBe("open");
  });

  it("real attempts of real runs count, and what one worker did opens no other's breaker (EXC-6)", async () => {
    const pipeline = await makePipeline(
      real,
      project,
      Array.from({ length: 10 }, (_, index) => node(`n${index}`)),
    );
    await startRun(real, pipeline);
    await drive(real, worker, { end: () => ({ kind: "failed", code: BAD, retryable: false }) });
    const other = await makeWorker(real);
    nowMs = Date.now() + 1_000;
    await look();
    expect(await stateNow()).toBe("open");
    const [view] = await listBreakers(real);
    expect(view?.why).toMatchObject({ cause: "row" });
    expect(view?.why?.failures).toHaveLength(10);
    const tripped = await database.db.select({ id: workers.id, tripped: workers.tripped }).from(workers);
    expect(tripped).toEqual(
      expect.arrayContaining([
        { id: worker.id, tripped: true },
        { id: other.id, tripped: false },
      ]),
    );
  });

  it("an outage of the leader is caught up with, slice by slice, before anything is judged (EXC-6)", async () => {
    await record("0 bad");
    await look();
    await record(`1 bad, 2 bad, 3 bad, 4 bad, 300 ok, ${failing(6, 301)}`);
    await look(900);
    expect(await stateNow()).toBe("closed");
    expect((await row())?.lastSuccessAt).toEqual(at(300));
    await record(failing(4, 910));
    await look();
    expect(await stateNow()).toBe("open");
  });

  it("what failed before a worker came back counts no more (EXC-6)", async () => {
    await record("0 oom, 30 oom, 60 oom");
    await look();
    await closeBreaker(ctx, { workerId: worker.id, reason: "a kernel fix" });
    await record("90 oom, 120 oom");
    await look();
    expect(await stateNow()).toBe("closed");
    await record("150 oom");
    await look();
    expect(await stateNow()).toBe("open");
  });

  it("looks at the failures of many without a lock on anybody's lease, and moves each worker by itself (EXC-6)", async () => {
    const other = await makeWorker(real);
    await record("1 bad, 2 bad");
    await record(failing(10), other);
    await database.sql.begin(async (sql) => {
      await sql`select from workers where id = ${worker.id} for update`;
      await look();
    });
    expect([await stateNow(), (await row())?.checkedUntil?.getTime()]).toEqual(["closed", nowMs]);
    expect((await listBreakers(ctx)).map(({ workerId }) => workerId)).toEqual([other.id]);
  });

  it("a look that was planned before a person held the worker overwrites nothing of it (EXC-6)", async () => {
    await record("1 bad, 2 bad");
    const looking = look();
    await holdWorker(ctx, { workerId: worker.id, reason: "noisy disk" });
    await looking;
    await look(60);
    expect(await stateNow()).toBe("held");
  });

  it("a leader of a stale epoch writes nothing of it (SCH-7, EXC-6)", async () => {
    await record(failing(10));
    await expect(watchBreakers(ctx, { ...fence, epoch: 99 })).rejects.toMatchObject({ code: "stale" });
    expect(await row()).toBeUndefined();
    expect(await eventsOf()).toEqual([]);
  });
});

describe("a worker that is out", () => {
  it("claims nothing, though it does not listen, and hears so with its next renewal (EXC-6)", async () => {
    await startRun(real, await makePipeline(real, project, [node("a")]));
    await record(failing(10));
    await look();
    expect(await claimReady(real, { worker, groups: ["default"], limit: 5 })).toEqual([]);
    expect(await renewWorker(real, worker, calm)).toMatchObject({ kind: "renewed", breaker: { takesNone: true, probeId: null } });
    await closeBreaker(ctx, { workerId: worker.id, reason: "looked at" });
    expect(await claimReady(real, { worker, groups: ["default"], limit: 5 })).toHaveLength(1);
  });

  it("is asked for a probe every five minutes, and three good answers in a row bring it back (EXC-6)", async () => {
    await record(failing(10));
    await look();
    for (const minute of [6, 12, 18]) {
      // Its renewals go by the database's clock, which does not jump.
      await database.db.update(workers).set({ expiresAt: at(3_600) });
      await look(minute * 60);
      const renewal = await renewWorker(real, worker, calm);
      const probeId = renewal.kind === "renewed" ? renewal.breaker.probeId : null;
      if (probeId === null) throw new Error("it was asked for no probe");
      nowMs += 1_000;
      expect(await reportProbe(ctx, worker, { probeId, ok: true, note: "fine" })).toBe(true);
      expect(await reportProbe(ctx, worker, { probeId, ok: true, note: "again" })).toBe(false);
    }
    expect(await stateNow()).toBe("closed");
    expect(await renewWorker(real, worker, calm)).toMatchObject({ breaker: { takesNone: false, probeId: null } });
    const probe = ["PROBE_ASKED_102", "PROBE_PASSED_200"];
    expect(await eventsOf()).toEqual(["OPENED_503", ...probe, ...probe, ...probe, "RESTORED_200"]);
  });

  it("does not come back by the word of who holds its name no more (IDM-3, EXC-6)", async () => {
    await record(failing(10));
    await look();
    await look(301);
    const probeId = (await row())?.probeId ?? "";
    expect(await reportProbe(ctx, { ...worker, epoch: 2 }, { probeId, ok: true, note: "" })).toBe(false);
    expect((await row())?.successes).toBe(0);
  });

  it("that does not answer has failed its probe, and stays out after its 30 min (EXC-6)", async () => {
    await record(failing(10));
    await look();
    await look(310);
    await look(380);
    await look(2_000);
    expect(await stateNow()).toBe("probing");
    expect(await eventsOf()).toEqual(["OPENED_503", "PROBE_ASKED_102", "PROBE_FAILED_503", "PROBING_503", "PROBE_ASKED_102"]);
  });

  it("shows failures of a project only to who has a role in it (SEC-1, EXC-6)", async () => {
    await record(failing(10));
    await look();
    const elsewhere = await makeUser(real, await makeProject(real), "admin");
    const [hidden] = await listBreakers(actingAs(real, elsewhere));
    expect(hidden?.why?.failures[0]).toMatchObject({ code: null, runId: null, nodeKey: null });
    expect((await loadBoard(actingAs(ctx, elsewhere), {})).cells).toEqual([]);
    const [shown] = await listBreakers(actingAs(real, await makeUser(real, project, "viewer")));
    expect(shown?.why?.failures[0]).toMatchObject({ code: BAD, nodeKey: "a" });
  });
});

describe("by hand", () => {
  const input = () => ({ workerId: worker.id, reason: "noisy disk" });

  it("a hold outlives everything but its release, and both leave an event and an audit row (EXC-6, AUD-2)", async () => {
    await holdWorker(ctx, input());
    await record(failing(12));
    for (const minute of [1, 10, 40, 5_000]) await look(minute * 60);
    expect(await stateNow()).toBe("held");
    expect(await claimReady(real, { worker, groups: ["default"], limit: 5 })).toEqual([]);
    await releaseHold(ctx, { ...input(), reason: "disk changed" });
    expect(await stateNow()).toBe("closed");
    expect(await eventsOf()).toEqual(["WORKER_HELD_423", "WORKER_RELEASED_200"]);
    const rows = await database.db.select().from(audit).where(eq(audit.objectId, worker.id)).orderBy(audit.seq);
    expect(rows.map(({ verb, reason, before, after }) => ({ verb, reason, before, after }))).toEqual([
      { verb: "worker.hold", reason: "noisy disk", before: { breaker: "closed" }, after: { breaker: "held" } },
      { verb: "worker.release", reason: "disk changed", before: { breaker: "held" }, after: { breaker: "closed" } },
    ]);
  });

  it.each([
    ["hold", holdWorker],
    ["release", releaseHold],
    ["close", closeBreaker],
  ])(
    "%s is an administrator's, and refused with the state when it has moved since it was looked at (EXC-6, AUD-1)",
    async (_word, verb) => {
      const admin = await makeUser(real, project, "admin");
      await expect(verb(actingAs(ctx, admin), input())).rejects.toMatchObject({ code: "forbidden" });
      await expect(verb(ctx, { ...input(), seen: "probing" })).rejects.toMatchObject({ code: "stale", details: { state: "closed" } });
      await expect(verb(ctx, { workerId: "nobody", reason: "x" })).rejects.toMatchObject({ code: "not_found" });
      expect(await row()).toBeUndefined();
      expect(await database.db.select().from(audit).where(eq(audit.objectId, worker.id))).toEqual([]);
    },
  );
});

it("the board counts workers by codes, and says that the job is to blame where one code is everywhere (EXC-6)", async () => {
  const [second, third] = [await makeWorker(real), await makeWorker(real)];
  for (const each of [worker, second, third]) await record("0 bad, 1 bad, 2 bad", each);
  await record("3 oom", second);
  const board = await loadBoard(ctx, { hours: 1 });
  expect(board.codes).toEqual([BAD, OOM]);
  expect(board.cells).toContainEqual({ worker: second.id, code: BAD, count: 3 });
  expect(board.verdict).toEqual({ kind: "told", blames: [{ kind: "job", code: BAD, workers: 3, count: 9 }] });
  nowMs = startMs + 2 * 3_600_000;
  expect((await loadBoard(ctx, { hours: 1 })).verdict).toEqual({ kind: "quiet" });
});

it("the storm of a project that the reader may not see hides nothing of the projects that it may (SEC-1, EXC-6)", async () => {
  await record("0 bad, 1 bad");
  const stranger = await makeProject(real);
  await database.sql`
    insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, retry_count, trace_id, worker_id, at)
    select uuidv7(), uuidv7(), ${stranger.id}::uuid, ${stranger.id}::uuid, 'a', 1, 1, uuidv7(), 'SHOP_OTHER_500', 'm', 0, 't', ${worker.id}, ${at(2).toISOString()}::timestamptz + n * interval '1 millisecond'
    from generate_series(1, 2500) n`;
  nowMs = startMs + 60_000;
  const viewer = actingAs(ctx, await makeUser(real, project, "viewer"));
  expect((await loadBoard(viewer, { hours: 1 })).cells).toEqual([{ worker: worker.id, code: BAD, count: 2 }]);
});
