import { afterAll, beforeAll, expect, test } from "vitest";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import type { Ctx } from "@/server/engine/context";
import { allowHost } from "./allow-host";
import { isHostOpened, listHosts } from "./list-hosts";
import { removeHost } from "./remove-host";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
let admin: Ctx;
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  project = await makeProject(ctx);
  admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
});
afterAll(() => database.close());

test("a host is opened for its project, its port and its spelling alone, and closed again (SEC-2)", async () => {
  const { id } = await allowHost(admin, { projectId: project.id, host: "Orders.Internal.", port: 8080, reason: "the order service" });
  expect(await isHostOpened(database.db, project.id, { host: "orders.internal", port: 8080 })).toBe(true);
  expect(await isHostOpened(database.db, project.id, { host: "orders.internal", port: 8081 })).toBe(false);
  expect(await isHostOpened(database.db, project.id, { host: "x.orders.internal", port: 8080 })).toBe(false);
  expect(await isHostOpened(database.db, (await makeProject(ctx)).id, { host: "orders.internal", port: 8080 })).toBe(false);
  await removeHost(admin, { projectId: project.id, id });
  expect(await isHostOpened(database.db, project.id, { host: "orders.internal", port: 8080 })).toBe(false);
});

test("opening twice keeps one row; each opening and the removal leave an audit row (AUD-2)", async () => {
  const first = await allowHost(admin, { projectId: project.id, host: "10.0.0.7", port: 80, reason: "first" });
  const second = await allowHost(admin, { projectId: project.id, host: "10.0.0.7", port: 80, reason: "second" });
  expect(second.id).toBe(first.id);
  expect((await listHosts(admin, project.id)).filter((host) => host.host === "10.0.0.7")).toMatchObject([{ reason: "second" }]);
  await removeHost(admin, { projectId: project.id, id: first.id });
  const rows = await database.db.query.audit.findMany({ where: (row, { eq }) => eq(row.objectId, first.id) });
  expect(rows.map((row) => row.verb).sort()).toEqual(["host.allow", "host.allow", "host.remove"]);
});

test("an editor may not open or close a host (SEC-2)", async () => {
  const editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
  const { id } = await allowHost(admin, { projectId: project.id, host: "db.internal", port: 5432, reason: "read" });
  const open = allowHost(editor, { projectId: project.id, host: "x.internal", port: 80, reason: "x" });
  await expect(open).rejects.toMatchObject({ code: "forbidden" });
  await expect(removeHost(editor, { projectId: project.id, id })).rejects.toMatchObject({ code: "forbidden" });
});

test.each(["http://orders", "a/b", "a b", "", "日本"])("the host %j is refused (SEC-3)", async (host) => {
  await expect(allowHost(admin, { projectId: project.id, host, port: 80, reason: "x" })).rejects.toThrow();
});
