import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../server/engine/context";
import { cancelRun } from "../../server/engine/runs/cancel-run";
import { queueDueRetries } from "../../server/engine/runs/queue-due-retries";
import { actingAs, makeProject, makeUser, testCtx } from "./ctx";
import { openTestDatabase, type TestDatabase } from "./database";
import { brokenInvariants, INVARIANTS } from "./invariants";
import { node } from "./plans";
import { drive, makeFence, makePipeline, makeWorker, runOf, startRun } from "./runs";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
beforeAll(async () => {
  database = await openTestDatabase();
  const machine = testCtx(database.db);
  project = await makeProject(machine);
  ctx = actingAs(machine, await makeUser(machine, project, "operator"));
});
afterAll(() => database.close());

/** What each invariant must find: the rows of a sound run, changed behind the engine's back. `$run` is its id. */
const DAMAGE: Readonly<Record<string, string>> = {
  "1 only listed transitions occur":
    "update run_events set to_state = 'PENDING' where run_id = $run and node_key = 'a' and event = 'succeeded'",
  "1 each step begins where the one before it ended, and only what leaves for good begins a new generation":
    "update run_events set generation = 2 where run_id = $run and node_key = 'a' and event = 'claimed'",
  "the fold of the events is the rows of the nodes": "update node_runs set token = token + 1 where run_id = $run and key = 'a'",
  "the fold of the events is the row of the run": "delete from run_events where run_id = $run and event = 'run.success'",
  "2 attempts are numbered without gaps": "update attempts set no = 2 where run_id = $run and node_key = 'a'",
  "2 one attempt executes while its node runs, and none otherwise":
    "update attempts set outcome = null where run_id = $run and node_key = 'a'",
  "3 an execution is accepted once at most":
    "update attempts set outcome = 'succeeded', node_key = 'a', no = 7, execution_id = (select execution_id from node_runs where run_id = $run and key = 'a') where run_id = $run and node_key = 'b' and outcome = 'succeeded'",
  "3 the register says what the node says": "update executions set state = 'REGISTERED' where run_id = $run and node_key = 'a'",
  "3 a new execution replaces a completed one": "update executions set replaces = gen_random_uuid() where run_id = $run and node_key = 'a'",
  "4 registered, executing, completed: forward only in time":
    "update executions set completed_at = registered_at - interval '1 hour' where run_id = $run and node_key = 'a'",
  "5 a node starts only if its rule holds for what its parents were then":
    "update run_events set to_state = 'FAILED' where run_id = $run and node_key = 'a' and event = 'succeeded'",
  "6 a join starts once in a generation":
    "insert into run_events (run_id, event, node_key, generation, attempt_no, from_state, to_state, actor, cause) select run_id, event, node_key, generation, attempt_no, from_state, to_state, actor, cause from run_events where run_id = $run and node_key = 'b' and event = 'ready'",
  "7 a skip is passed on when every parent has ended, never before":
    "update run_events set event = 'branchNotTaken', data = '{\"skipCause\": \"upstream\"}', id = 0 where run_id = $run and node_key = 'b' and event = 'ready'",
  "8 the state of a run is a function of its nodes and of what people asked for": "update runs set state = 'PAUSED' where id = $run",
  "9 nothing of a cancelled run starts after the cancel":
    "update runs set cancel_requested_at = created_at - interval '1 hour' where id = $run",
  "10 no more runs of a pipeline are active than it allows":
    "update pipeline_versions set definition = jsonb_set(definition, '{spec,concurrency}', '0') where id = (select version_id from runs where id = $run); update runs set state = 'RUNNING' where id = $run",
  "10 a slot is taken by an attempt that executes, and by no other":
    "insert into slots (key, no, run_id, node_key, token) values ('pool:damage', 1, $run, 'a', 1)",
  "18 each step that a failure caused has its error event in the same transaction, and none is without a step":
    "delete from error_events where run_id = $run",
  "18 whatever ends badly has told why": "update run_events set data = data - 'code' where run_id = $run and to_state = 'RETRYING'",
  "19 attempts stay within the budget":
    "insert into attempts (run_id, node_key, generation, no, execution_id, token, outcome, run_state, trace_id, span_id, dispatched_at) select run_id, node_key, generation, no + more, execution_id, token + more, 'failed', run_state, trace_id, span_id, dispatched_at from attempts, generate_series(5, 10) more where run_id = $run and node_key = 'b' and outcome = 'succeeded'",
  "19 no retry comes before its time": "update run_events set at = at - interval '1 hour' where run_id = $run and event = 'retryDue'",
  "21 what a person did stands in the audit, once, in the same transaction": "delete from audit where object_id = ($run)::text",
  "22 nothing stays past its own time":
    "update node_runs set state = 'RUNNING', timeout_at = clock_timestamp() - interval '2 minutes' where run_id = $run and key = 'a'",
  "24 a run has the nodes of its version, no more and no fewer": "delete from node_runs where run_id = $run and key = 'a'",
  "a pause holds every node that has not ended, and nothing else holds one":
    "update node_runs set state = 'QUEUED', held = true where run_id = $run and key = 'a'",
};

/** A run of two nodes that has ended: the second failed once and was tried again. */
async function soundRun(): Promise<string> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const retry = { retries: 1, delays: ["1ms"], jitter: [0, 0] as [number, number] };
  const pipeline = await makePipeline(ctx, project, [node("a", [], { group }), node("b", ["a"], { group, retry })]);
  const runId = await startRun(ctx, pipeline);
  const worker = await makeWorker(ctx, [group]);
  let failed = false;
  await drive(ctx, worker, {
    groups: [group],
    end: ({ key }) => {
      const kind = key === "b" && !failed ? "failed" : "succeeded";
      failed ||= key === "b";
      return { kind };
    },
  });
  const fence = await makeFence(ctx);
  for (let looks = 0; (await runOf(ctx, runId)).state !== "SUCCESS" && looks < 200; looks++) {
    await queueDueRetries(ctx, fence);
    await drive(ctx, worker, { groups: [group] });
  }
  return runId;
}

/** One that a person has cancelled, for what stands in the audit. */
async function cancelledRun(): Promise<string> {
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a")]));
  await cancelRun(ctx, { runId, reason: "no longer wanted" });
  return runId;
}

const LOOK = { also: ["at rest", "on a true clock"] } as const;

describe("the invariants as SQL", () => {
  it("find nothing in runs that are sound, and each finds the damage that it is for (RUN-1, IDM-4)", async () => {
    expect(Object.keys(DAMAGE).sort()).toEqual(INVARIANTS.map(({ name }) => name).sort());
    const runIds = { sound: await soundRun(), cancelled: await cancelledRun() };
    expect(await brokenInvariants(database.sql, { runIds: Object.values(runIds), ...LOOK })).toEqual([]);
    for (const [name, damage] of Object.entries(DAMAGE)) {
      const runId = name.startsWith("21") ? runIds.cancelled : runIds.sound;
      const found = await database.sql
        .begin(async (tx) => {
          // As a superuser may, without triggers; and it is taken back at once.
          await tx.unsafe("set local session_replication_role = replica");
          await tx.unsafe(damage.replaceAll("$run", `'${runId}'::uuid`));
          throw new Taken(await brokenInvariants(tx, { runIds: [runId], ...LOOK }));
        })
        .catch((error: unknown) => {
          if (error instanceof Taken) return error.broken;
          throw error;
        });
      expect(
        found.map(({ invariant }) => invariant),
        name,
      ).toContain(name);
      expect(found.length, name).toBeLessThan(20);
    }
    expect(await brokenInvariants(database.sql, { runIds: Object.values(runIds), ...LOOK })).toEqual([]);
  });

  it("look at the runs that are named, or at all of them (RUN-1)", async () => {
    const [mine, other] = [await cancelledRun(), await cancelledRun()];
    await database.sql.unsafe(
      `alter table runs disable trigger user; update runs set state = 'PAUSED' where id = '${other}'; alter table runs enable trigger user`,
    );
    expect(await brokenInvariants(database.sql, { runIds: [mine] })).toEqual([]);
    const named = new Set((await brokenInvariants(database.sql)).map(({ runId }) => runId));
    expect([...named]).toEqual([other]);
  });
});

/** Carries what was found out of a transaction that must not be committed. */
class Taken extends Error {
  constructor(readonly broken: Awaited<ReturnType<typeof brokenInvariants>>) {
    super("taken back");
  }
}
