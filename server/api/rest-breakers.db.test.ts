import { afterAll, beforeAll, expect, it } from "vitest";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { makeWorker } from "@/db/testing/runs";
import { createToken } from "@/server/engine/access/create-token";
import { holdWorker } from "@/server/engine/breaker/hold-worker";

let database: TestDatabase;
let world: TestWorld;
let token: string;
let workerId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  const ctx = testCtx(database.db);
  world = testWorld(ctx);
  const project = await makeProject(ctx);
  token = (await createToken(ctx, { projectId: project.id, name: "CI", role: "viewer" })).token;
  workerId = (await makeWorker(ctx)).id;
  await holdWorker(ctx, { workerId, reason: "a noisy disk" });
});
afterAll(() => database.close());

it("a script reads who is out and why, and the board of workers by codes (EXC-6, ECO-1)", async () => {
  const { status, json } = await rest(world, "GET", "/workers/breakers", undefined, { token });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    items: [
      {
        workerId,
        state: "held",
        takesNodes: false,
        until: null,
        why: { cause: "person", by: "test", reason: "a noisy disk", failures: [] },
      },
    ],
  });
  expect(await rest(world, "GET", "/workers/board?hours=24", undefined, { token })).toMatchObject({
    status: 200,
    json: { codes: [], cells: [], verdict: { kind: "quiet" }, workers: [{ id: workerId, isLive: true }] },
  });
  expect(await rest(world, "GET", "/workers/board?hours=7", undefined, { token })).toMatchObject({ status: 400 });
  expect(await rest(world, "GET", "/workers/breakers", undefined, { token: "apollo_none" })).toMatchObject({ status: 401 });
});
