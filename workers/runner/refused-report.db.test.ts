import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actingAs, makeProject, makeUser } from "@/db/testing/ctx";
import { attemptsOf, makeFence, makePipeline, nodesByKey, startRun, statesOf } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { type HandlerWorker, openHandlerWorker } from "@/db/testing/workers";
import { closeMovedLetters } from "@/server/engine/dead-letters/close-moved-letters";
import { listDeadLetters } from "@/server/engine/dead-letters/list-dead-letters";
import { releaseDeadLetter } from "@/server/engine/dead-letters/release-dead-letter";
import { endOverdueAttempts } from "@/server/engine/runs/end-overdue-attempts";

const TASKS = `
import { appendFileSync } from "node:fs";
import { defineTask, z } from "apollo-11/sdk";
export const effect = defineTask({
  name: "effect",
  input: z.any(),
  output: z.any(),
  run: async (ctx, { file }) => {
    appendFileSync(file, ctx.executionId + "\\n");
    return "done";
  },
});
`;

let ground: HandlerWorker;
let project: { id: string };
beforeAll(async () => {
  ground = await openHandlerWorker(TASKS);
  project = await makeProject(ground.ctx);
});
afterAll(() => ground.close());

const letters = async (show: "open" | "closed") => (await listDeadLetters(ground.ctx, { projectId: project.id, show })).items;
const aLetter = () => until("a letter is open", async () => (await letters("open"))[0], 20_000);

/** A run of one node whose end the store refuses, as success and as failure; it can be handed back all the same. */
async function refusedRun(): Promise<{ runId: string; file: string; mend(): Promise<unknown> }> {
  const { ctx, database, folder } = ground;
  const file = join(folder, `effects-${ctx.ids.randomHex(4)}`);
  const node = { key: "a", type: "handler" as const, retry: { policy: "none" as const }, with: { task: "effect", input: { file } } };
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node]));
  await database.sql.unsafe(`
    create or replace function refuse_end() returns trigger language plpgsql as $$
      begin raise exception 'this end is refused' using errcode = '22023'; end $$;
    create trigger refuse_end before update on node_runs for each row
      when (old.run_id = '${runId}' and old.state = 'RUNNING' and new.state <> 'QUEUED' and new.state <> 'RUNNING') execute function refuse_end();`);
  return { runId, file, mend: () => database.sql.unsafe("drop trigger refuse_end on node_runs") };
}

test("an attempt whose end the store refuses waits for a person with what ails it, is not done again, and ends once it is put right (B78, IDM-4, RTY-3)", async () => {
  const { ctx } = ground;
  const fence = await makeFence(ctx);
  const operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
  const { runId, file, mend } = await refusedRun();
  const service = await ground.start({ id: "w-refused" });
  try {
    const letter = await aLetter();
    expect(letter).toMatchObject({
      run: { id: runId },
      node: { key: "a", state: "RUNNING" },
      cause: "undecidable",
      why: expect.stringContaining("w-refused"),
      error: { message: expect.stringContaining("this end is refused") },
    });
    await releaseDeadLetter(operator, { id: letter.id, reason: "try it again" });
    expect((await aLetter()).id).toBe(letter.id);
    expect((await closeMovedLetters(ctx, fence)).count).toBe(0);
    expect(await readFile(file, "utf8")).toBe(`${(await nodesByKey(ctx, runId)).get("a")?.executionId}\n`);
    await mend();
    await until("its failure is told", async () => (await statesOf(ctx, runId)).a === "FAILED", 20_000);
    expect((await attemptsOf(ctx, runId, "a")).map(({ outcome, errorMessage }) => [outcome, errorMessage])).toEqual([
      ["failed", expect.stringContaining("this end is refused")],
    ]);
    expect((await closeMovedLetters(ctx, fence)).count).toBe(1);
    expect((await letters("closed")).map(({ id, closed }) => [id, closed?.as])).toEqual([[letter.id, "moved"]]);
  } finally {
    await service.stop();
  }
}, 90_000);

test("an attempt whose end the store refuses and whose time runs out is never ended without a letter (B78, RTY-3)", async () => {
  const { ctx, database } = ground;
  const fence = await makeFence(ctx);
  const { runId, mend } = await refusedRun();
  const service = await ground.start({ id: "w-overdue" });
  await aLetter();
  await service.stop();
  try {
    await database.sql`update node_runs set timeout_at = clock_timestamp() - interval '1 minute' where run_id = ${runId}`;
    await endOverdueAttempts(ctx, fence);
    const [letter, ...others] = await letters("open");
    expect([letter?.run.id, others, (await statesOf(ctx, runId)).a]).toEqual([runId, [], "RUNNING"]);
    await mend();
    await endOverdueAttempts(ctx, fence);
    expect(await statesOf(ctx, runId)).toEqual({ a: "TIMEOUT" });
  } finally {
    await mend().catch(() => undefined);
  }
}, 60_000);
