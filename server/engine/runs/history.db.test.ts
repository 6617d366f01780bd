import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { brokenInvariants } from "@/db/testing/invariants";
import { node, waitNode } from "@/db/testing/plans";
import { drive, eventsOf, makeFence, makePipeline, makeWorker, nodesByKey, reportOf, runOf, startRun } from "@/db/testing/runs";
import { DomainError } from "@/server/domain/failure";
import { foldEvents } from "@/server/domain/run/fold";
import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { cancelNode } from "./cancel-node";
import { cancelRun } from "./cancel-run";
import { claimReady } from "./claim";
import { endElapsedWaits } from "./end-elapsed-waits";
import { markSuccess } from "./mark-success";
import { pauseRun } from "./pause-run";
import { queueDueRetries } from "./queue-due-retries";
import { recoverLostWorkers } from "./recover-lost-workers";
import { rerunFrom } from "./rerun-from";
import { resumeRun } from "./resume-run";
import { retryNode } from "./retry-node";
import { settle } from "./settle";
import { skipNode } from "./skip-node";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
});
afterAll(() => database.close());

/** A small random sequence that a seed repeats. */
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

async function foldEqualsRows(runId: string): Promise<void> {
  const rows = await nodesByKey(ctx, runId);
  const events = await eventsOf(ctx, runId);
  const folded = foldEvents([...rows.keys()], events);
  expect(folded.state).toBe((await runOf(ctx, runId)).state);
  for (const [key, row] of rows) {
    const { state, generation, attemptNo, attempts, token, skipCause } = row;
    expect({ key, ...folded.nodes.get(key), executionId: row.executionId }).toEqual({
      key,
      state,
      generation,
      attemptNo,
      attempts,
      token,
      skipCause,
      executionId: row.executionId,
    });
    const renewed = folded.nodes.get(key)?.executionId;
    if (renewed !== null && renewed !== undefined) expect(renewed).toBe(row.executionId);
  }
}

describe("what is committed together", () => {
  it("is one transaction: state, event, error event, attempt and register (P11, IDM-4)", async () => {
    const pipeline = await makePipeline(ctx, project, [node("a"), node("b", ["a"])]);
    const worker = await makeWorker(ctx);
    const runId = await startRun(ctx, pipeline);
    const [claimed] = await claimReady(ctx, { worker, groups: ["default"], limit: 1 });
    if (!claimed) throw new Error("nothing was ready");
    const stamps = async (key: string) => {
      const [row] = await ctx.db.execute<Record<string, string | null>>(sql`
        select n.xmin::text as node, a.xmin::text as attempt, x.xmin::text as execution,
          (select xmin::text from run_events e where e.run_id = n.run_id and e.node_key = n.key order by id desc limit 1) as event,
          (select xmin::text from error_events e where e.run_id = n.run_id and e.node_key = n.key order by id desc limit 1) as error
        from node_runs n left join attempts a on a.run_id = n.run_id and a.node_key = n.key
        join executions x on x.execution_id = n.execution_id where n.run_id = ${runId}::uuid and n.key = ${key}`);
      return row ?? {};
    };
    const one = (row: Record<string, string | null>) => new Set(Object.values(row).filter((stamp) => stamp !== null)).size;
    expect(one(await stamps("a"))).toBe(1);
    await settle(ctx, { worker, reports: [reportOf(claimed, { kind: "failed", retryable: false })], free: {} });
    const failed = await stamps("a");
    expect(failed.error).not.toBeNull();
    expect(one(failed)).toBe(1);
    await retryNode(ctx, { runId, key: "a", reason: "again" });
    await drive(ctx, worker, { end: () => ({ kind: "succeeded" }), limit: 1 });
    expect(one({ ...(await stamps("b")), error: null })).toBe(1);
    await foldEqualsRows(runId);
  });

  it("leaves nothing when any part of it is refused (IDM-4, P11)", async () => {
    const pipeline = await makePipeline(ctx, project, [node("a"), node("b", ["a"])]);
    const worker = await makeWorker(ctx);
    const runId = await startRun(ctx, pipeline);
    const [claimed] = await claimReady(ctx, { worker, groups: ["default"], limit: 1 });
    if (!claimed) throw new Error("nothing was ready");
    const [rows, events] = [await nodesByKey(ctx, runId), await eventsOf(ctx, runId)];
    for (const table of ["run_events", "error_events", "attempts", "executions", "runs"]) {
      await database.sql.unsafe(`create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
        create trigger planted before insert or update on ${table} for each row execute function refuse()`);
      const end = { kind: "failed", retryable: false } as const;
      await expect(settle(ctx, { worker, reports: [reportOf(claimed, end)], free: {} }), table).rejects.toThrow();
      await database.sql.unsafe(`drop trigger planted on ${table}`);
      expect([await nodesByKey(ctx, runId), await eventsOf(ctx, runId)], table).toEqual([rows, events]);
    }
    await settle(ctx, { worker, reports: [reportOf(claimed)], free: {} });
    await drive(ctx, worker);
    expect((await runOf(ctx, runId)).state).toBe("SUCCESS");
  });
});

describe("random histories over the tables", () => {
  const reason = "at random";
  const group = "random";
  const nodes = [
    node("a", [], { group }),
    waitNode("w", ["a"], { for: "1ms" }),
    node("b", ["a"], { group, retry: { retries: 1, delays: ["1ms"], jitter: [0, 0] } }),
    node("c", ["a"], { group, retry: { policy: "none" } }),
    node("d", ["b", "c", "w"], { group }),
    node("e", ["b", "c"], { group, join: "one_success" }),
    node("f", ["d", "e"], { group, join: "all_done" }),
  ];

  it.each([1, 2, 3, 4, 5, 6])("seed %i: the fold of the events equals the rows, and the invariants hold (RUN-9, IDM-2)", async (seed) => {
    const roll = dice(seed * 7_919);
    const policies = ["pause", "fail", "continue"] as const;
    const pipeline = await makePipeline(ctx, project, nodes, { onFailure: policies[seed % 3] ?? "pause" });
    const fence = await makeFence(ctx);
    const runId = await startRun(ctx, pipeline);
    let worker: WorkerLease = await makeWorker(ctx, [group]);
    const held: ClaimedNode[] = [];
    const keys = nodes.map(({ key }) => key);
    const ends = [
      { kind: "succeeded" },
      { kind: "succeeded" },
      { kind: "failed" },
      { kind: "failed", retryable: false },
      { kind: "timedOut" },
      { kind: "handedBack" },
    ] as const;
    const acts: (() => Promise<unknown>)[] = [
      async () => held.push(...(await claimReady(ctx, { worker, groups: [group], limit: 2 }))),
      async () => held.push(...(await claimReady(ctx, { worker, groups: [group], limit: 2 }))),
      async () => {
        const reports = [held[roll(held.length)], held[roll(held.length)]].flatMap((each) =>
          each ? [reportOf(each, ends[roll(ends.length)])] : [],
        );
        held.push(...(await settle(ctx, { worker, reports, free: { [group]: roll(3) } })).handedOn);
      },
      async () => {
        const latest = held.at(-1);
        if (latest) held.push(...(await settle(ctx, { worker, reports: [reportOf(latest)], free: { [group]: 1 } })).handedOn);
      },
      () => queueDueRetries(ctx, fence),
      () => endElapsedWaits(ctx, fence),
      async () => {
        await database.sql`update workers set expires_at = clock_timestamp() - interval '1 second' where id = ${worker.id}`;
        worker = await makeWorker(ctx, [group]);
        await recoverLostWorkers(ctx, fence);
      },
      ...[retryNode, rerunFrom, skipNode, cancelNode, retryNode].map(
        (act) => () => act(ctx, { runId, key: keys[roll(keys.length)] ?? "a", reason }),
      ),
      () => markSuccess(ctx, { runId, key: keys[roll(keys.length)] ?? "a", reason, output: { marked: true } }),
      async () => roll(4) === 0 && cancelRun(ctx, { runId, reason }),
      () => pauseRun(ctx, { runId, reason }),
      () => resumeRun(ctx, { runId, reason }),
    ];
    for (let step = 0; step < 60; step++) {
      await acts[roll(acts.length)]?.().catch((error: unknown) => {
        if (!(error instanceof DomainError && error.code === "illegal_transition")) throw error;
      });
    }
    await foldEqualsRows(runId);
    expect(await brokenInvariants(database.sql, { runIds: [runId] })).toEqual([]);
  });
});
