import { afterAll, beforeAll, expect, it } from "vitest";
import { actingAs, makeProject, makeUser } from "@/db/testing/ctx";
import { node } from "@/db/testing/plans";
import { makePipeline, startRun } from "@/db/testing/runs";
import { openScene, type Scene } from "@/db/testing/scene";
import { adviseCode, adviseNode } from "./advise";

const CODE = "TEST_PAY_TIMEOUT_504";
let scene: Scene;

beforeAll(async () => {
  scene = await openScene("viewer");
});
afterAll(() => scene.database.close());

interface Retries {
  readonly count: number;
  readonly delayMs: number;
  readonly outcome: "succeeded" | "failed" | "canceled" | "handed_back";
}

it("retries are counted by node, code and delay; what a person cancelled or a worker gave back is no sample (RTY-4)", async () => {
  const { root, ctx, project, database } = scene;
  const pipeline = await makePipeline(root, project, [node("a")]);
  const retry = async ({ count, delayMs, outcome }: Retries, isCancelled = false) => {
    const runId = await startRun(root, pipeline);
    if (isCancelled) await database.sql`update runs set cancel_requested_at = now() where id = ${runId}`;
    await database.sql`
      insert into error_events (run_id, id, project_id, pipeline_id, node_key, generation, attempt_no, execution_id, code, message, retry_count, trace_id, at)
      select ${runId}, gen_random_uuid(), ${project.id}, ${pipeline.pipelineId}, 'a', n, 1, gen_random_uuid(), ${CODE}, 'm', 0, 't', now() - interval '1 hour'
      from generate_series(1, ${count}::integer) n`;
    await database.sql`
      insert into attempts (run_id, node_key, generation, no, execution_id, token, run_state, trace_id, span_id, dispatched_at, outcome)
      select ${runId}, 'a', n, 2, gen_random_uuid(), 1, 'RUNNING', 't', 's', now() - interval '1 hour' + ${delayMs}::integer * interval '1 millisecond', ${outcome}
      from generate_series(1, ${count}::integer) n`;
  };
  await retry({ count: 15, delayMs: 3_000, outcome: "succeeded" });
  await retry({ count: 4, delayMs: 3_000, outcome: "failed" });
  await retry({ count: 50, delayMs: 3_000, outcome: "canceled" });
  await retry({ count: 50, delayMs: 3_000, outcome: "handed_back" });
  await retry({ count: 50, delayMs: 3_000, outcome: "succeeded" }, true);
  const asked = { projectId: project.id, code: CODE };
  expect((await adviseCode(ctx, asked))[0]?.advice).toEqual({ kind: "too_few", samples: 19, missing: 1 });
  await retry({ count: 1, delayMs: 3_000, outcome: "succeeded" });
  const [found] = await adviseCode(ctx, asked);
  expect(found).toMatchObject({ pipeline: { id: pipeline.pipelineId }, nodeKey: "a", code: CODE, advice: { kind: "delays", samples: 20 } });
  expect(found?.advice).toMatchObject({ spans: [{ retryNo: 1, tried: 20, helped: 16, rate: 0.8 }], delaysMs: [expect.closeTo(3_000, -2)] });
  expect(await adviseNode(ctx, { projectId: project.id, pipelineId: pipeline.pipelineId, nodeKey: "a" })).toEqual([found]);
  const stranger = actingAs(root, await makeUser(root, await makeProject(root), "admin"));
  await expect(adviseCode(stranger, asked)).rejects.toMatchObject({ code: "not_found" });
});
