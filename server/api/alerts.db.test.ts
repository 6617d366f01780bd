import { afterAll, beforeAll, expect, it } from "vitest";
import { ALERT_QUERIES } from "@/db/testing/alert-cases";
import { rest, type TestWorld, testWorld } from "@/db/testing/api";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import type { Role } from "@/server/domain/access/roles";
import { createToken } from "@/server/engine/access/create-token";

let database: TestDatabase;
let world: TestWorld;
let project: { id: string; key: string };
let alert: string;
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
  const made = (await ALERT_QUERIES["alerts.get"]?.({ ctx, project })) as { id: string };
  alert = made.id;
});
afterAll(() => database.close());

const call = async (method: string, path: string, body?: unknown, role: Role = "operator") => {
  const { status, json } = await rest(world, method, path, body, { token: tokens.get(role) ?? "" });
  return { status, json: json as Record<string, unknown> };
};

it("alerts are listed, acknowledged and resolved over REST, once, by those who may (ECO-1, ALT-6)", async () => {
  expect(await call("GET", `/projects/${project.key}/alerts`, undefined, "viewer")).toMatchObject({
    status: 200,
    json: { items: [{ id: alert, grade: "P2", object: "orders / load", resolved: null }], nextCursor: null },
  });
  expect((await call("POST", `/alerts/${alert}/acknowledge`, undefined, "viewer")).status).toBe(403);
  expect(await call("POST", `/alerts/${alert}/acknowledge`)).toMatchObject({ status: 200, json: { acknowledgedBy: "operator" } });
  expect(await call("POST", `/alerts/${alert}/acknowledge`)).toMatchObject({ status: 409, json: { code: "stale" } });
  expect((await call("POST", `/alerts/${alert}/resolve`, {})).status).toBe(400);
  expect(await call("POST", `/alerts/${alert}/resolve`, { reason: "repaired" })).toMatchObject({
    status: 200,
    json: { resolved: { as: "person", by: "operator", reason: "repaired" } },
  });
  expect((await call("GET", `/projects/${project.key}/alerts`)).json.items).toEqual([]);
  expect((await call("GET", `/projects/${project.key}/alerts?show=all`)).json.items).toHaveLength(1);
});

it("silences are made, listed and ended over REST; channels are listed without what it takes to send (ECO-1, ALT-4, SEC-1)", async () => {
  const silence = { pattern: "*_TIMEOUT_*", reason: "repair", endsAt: new Date(Date.now() + 3_600_000).toISOString() };
  expect((await call("POST", `/projects/${project.key}/silences`, silence, "viewer")).status).toBe(403);
  expect((await call("POST", `/projects/${project.key}/silences`, { ...silence, endsAt: "2020-01-01T00:00:00Z" })).status).toBe(400);
  const made = await call("POST", `/projects/${project.key}/silences`, silence);
  expect(made).toMatchObject({ status: 200, json: { no: 1 } });
  expect(await call("GET", `/projects/${project.key}/silences`)).toMatchObject({
    json: { items: [{ no: 1, author: "operator", holds: 0 }] },
  });
  expect((await call("POST", `/silences/${String(made.json.id)}/end`)).status).toBe(200);
  expect((await call("POST", `/silences/${String(made.json.id)}/end`)).status).toBe(409);
  expect(await call("GET", `/projects/${project.key}/alert-channels`, undefined, "viewer")).toMatchObject({
    status: 200,
    json: { items: [] },
  });
});
