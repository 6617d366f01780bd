import { afterAll, beforeAll, expect, it } from "vitest";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { QUERIES } from "@/db/testing/mutations";
import type { Role } from "@/server/domain/access/roles";
import { createToken } from "@/server/engine/access/create-token";

let database: TestDatabase;
let world: TestWorld;
let project: { id: string; key: string };
let letter: () => Promise<string>;
const tokens = new Map<Role, string>();

beforeAll(async () => {
  database = await openTestDatabase();
  const ctx = testCtx(database.db);
  world = testWorld(ctx);
  project = await makeProject(ctx);
  const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  for (const role of ["viewer", "operator"] as const) {
    tokens.set(role, (await createToken(admin, { projectId: project.id, name: role, role })).token);
  }
  letter = async () => {
    const made = (await QUERIES["deadLetters.get"]?.({ ctx, project, callerId: "" })) as { id: string } | undefined;
    if (!made) throw new Error("there is no case that makes a dead letter");
    return made.id;
  };
});
afterAll(() => database.close());

const call = async (method: string, path: string, body?: unknown, role: Role = "operator") => {
  const { status, json } = await rest(world, method, path, body, { token: tokens.get(role) ?? "" });
  return { status, json: json as Record<string, unknown> };
};

it("dead letters are listed, read, released and discarded over REST, by those who may (ECO-1, RTY-3)", async () => {
  const [first, second] = [await letter(), await letter()];
  const list = await call("GET", `/projects/${project.key}/dead-letters?cause=lost&limit=1`, undefined, "viewer");
  expect(list).toMatchObject({
    status: 200,
    json: { items: [{ id: second, cause: "lost", node: "a", closed: null }], nextCursor: expect.any(String) },
  });
  expect(await call("GET", `/dead-letters/${first}`, undefined, "viewer")).toMatchObject({
    status: 200,
    json: { id: first, error: { code: "APOLLO_WORKER_LOST_503" }, attempts: expect.any(Array) },
  });
  const reason = { reason: "the host was replaced" };
  expect((await call("POST", `/dead-letters/${first}/release`, reason, "viewer")).status).toBe(403);
  expect((await call("POST", `/dead-letters/${first}/release`, {})).status).toBe(400);
  expect(await call("POST", `/dead-letters/${first}/release`, reason)).toMatchObject({
    status: 200,
    json: { nodeState: "QUEUED", closed: { as: "released", by: "operator", ...reason } },
  });
  expect(await call("POST", `/dead-letters/${first}/discard`, reason)).toMatchObject({ status: 409, json: { code: "stale" } });
  expect(await call("POST", `/dead-letters/${second}/discard`, reason)).toMatchObject({ json: { closed: { as: "discarded" } } });
  expect((await call("GET", `/projects/${project.key}/dead-letters`)).json.items).toEqual([]);
  expect((await call("GET", `/projects/${project.key}/dead-letters?show=closed`)).json.items).toHaveLength(2);
  expect((await call("GET", "/dead-letters/01980c2e-0000-7000-8000-000000000000")).status).toBe(404);
});
