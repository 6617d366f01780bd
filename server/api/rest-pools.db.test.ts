import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { makeProject, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { createToken } from "@/server/engine/access/create-token";

let database: TestDatabase;
let world: TestWorld;
let base: string;
const tokens = new Map<string, string>();
beforeAll(async () => {
  database = await openTestDatabase();
  const ctx = testCtx(database.db);
  world = testWorld(ctx);
  const project = await makeProject(ctx);
  base = `/projects/${project.key}/pools`;
  for (const role of ["viewer", "editor"] as const) {
    tokens.set(role, (await createToken(ctx, { projectId: project.id, name: role, role })).token);
  }
});
afterAll(() => database.close());

const call = (method: string, path: string, body?: unknown, who = "editor") =>
  rest(world, method, `${base}${path}`, body, { token: tokens.get(who) ?? "" });

describe("pools over REST", () => {
  it("are made, changed, listed and deleted by a script, and not by a viewer (RUN-5, ECO-1)", async () => {
    expect(await call("PUT", "/loads", { slots: 2, description: "the warehouse" })).toMatchObject({ status: 200, json: { revision: 1 } });
    expect(await call("PUT", "/loads", { slots: 4, revision: 1 })).toMatchObject({ status: 200, json: { slots: 4, revision: 2 } });
    expect(await call("PUT", "/loads", { slots: 9, revision: 1 })).toMatchObject({ status: 409, json: { code: "stale" } });
    expect(await call("PUT", "/loads", { slots: 1 }, "viewer")).toMatchObject({ status: 403 });
    expect((await call("GET", "", undefined, "viewer")).json).toMatchObject({
      items: [{ name: "loads", slots: 4, description: "the warehouse", taken: 0, waiting: 0, pipelines: [], revision: 2 }],
    });
    expect(await call("DELETE", "/loads", {})).toMatchObject({ status: 400 });
    expect(await call("DELETE", "/loads", { reason: "not needed" })).toMatchObject({ status: 204 });
    expect(await call("DELETE", "/loads", { reason: "again" })).toMatchObject({ status: 404 });
  });

  it("have from 1 to 1,000 slots and a plain name (RUN-5)", async () => {
    for (const slots of [0, 1_001, 1.5, "3", null]) expect(await call("PUT", "/bad", { slots })).toMatchObject({ status: 400 });
    expect(await call("PUT", "/Bad%20Name", { slots: 1 })).toMatchObject({ status: 400 });
    expect(await call("GET", "")).toMatchObject({ json: { items: [] } });
  });
});
