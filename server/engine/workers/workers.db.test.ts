import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workers } from "@/db/schema/platform";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import type { Ctx } from "@/server/engine/context";
import { drainWorker } from "./drain-worker";
import { countLiveWorkers, listTasks, listWorkers } from "./list-workers";
import { registerWorker } from "./register-worker";
import { releaseWorker } from "./release-worker";
import { renewWorker } from "./renew-worker";

let database: TestDatabase;
let ctx: Ctx;
beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
});
afterAll(() => database.close());

const registration = (id: string) => ({
  id,
  bootId: ctx.ids.uuid(),
  previousBootIds: [],
  groups: ["default", "warehouse"],
  slots: 4,
  hostname: "host",
  pid: 7,
  site: null,
  fingerprint: { cores: 2 },
  tasks: [{ name: "orders.clean", inputSchema: { type: "object" }, outputSchema: null }],
});
const WELL = { takesNone: false, probeId: null };
const calm = { refusing: null, report: { rssBytes: 1 } } as const;
const expire = (id: string) =>
  database.db.update(workers).set({ expiresAt: sql`clock_timestamp() - interval '1 second'` }).where(eq(workers.id, id));

test("a worker that registers again gets a higher epoch, and the one before it is fenced off (IDM-3)", async () => {
  const first = await registerWorker(ctx, registration("w-epoch"));
  const second = await registerWorker(ctx, registration("w-epoch"), () => true);
  expect(second.epoch).toBe(first.epoch + 1);
  expect(await renewWorker(ctx, second, calm)).toEqual({ kind: "renewed", draining: false, breaker: WELL });
  expect(await renewWorker(ctx, first, calm)).toEqual({ kind: "taken", bootId: second.bootId, hostname: "host", pid: 7 });
});

test("a live worker's name is refused to another one, and free again when its lease is over (IDM-3)", async () => {
  await registerWorker(ctx, registration("w-name"));
  await expect(registerWorker(ctx, registration("w-name"))).rejects.toThrow(/w-name is alive already, on host \(process 7\)/);
  await expire("w-name");
  expect(await registerWorker(ctx, registration("w-name"))).toMatchObject({ epoch: 2 });
});

test("a lease that ran out cannot be renewed, even when nobody took it (IDM-3)", async () => {
  const lease = await registerWorker(ctx, registration("w-lapsed"));
  await expire("w-lapsed");
  expect(await renewWorker(ctx, lease, calm)).toEqual({ kind: "lapsed" });
});

test("a renewal prolongs the lease by ten seconds of the database's clock and keeps the heartbeat (WRK-1)", async () => {
  const lease = await registerWorker(ctx, registration("w-beat"));
  await renewWorker(ctx, lease, { refusing: "disk", report: { diskUsed: 0.83 } });
  const [row] = await database.db
    .select({ left: sql<number>`extract(epoch from ${workers.expiresAt} - clock_timestamp())::float8`, worker: workers })
    .from(workers)
    .where(eq(workers.id, "w-beat"));
  expect(row?.left).toBeGreaterThan(9);
  expect(row?.left).toBeLessThanOrEqual(10);
  expect(row?.worker).toMatchObject({ refusing: "disk", heartbeat: { diskUsed: 0.83 } });
});

test("a renewal does not wait for a claim that holds the lease row (IDM-3)", async () => {
  const lease = await registerWorker(ctx, registration("w-claim"));
  await database.db.transaction(async (tx) => {
    await tx.execute(sql`select 1 from workers where id = 'w-claim' and epoch = ${lease.epoch} for key share`);
    expect(await renewWorker(ctx, lease, calm)).toMatchObject({ kind: "renewed" });
  });
});

test("a released lease is over at once (WRK-4)", async () => {
  const lease = await registerWorker(ctx, registration("w-released"));
  const before = await countLiveWorkers(database.db);
  await releaseWorker(ctx, lease);
  expect(await countLiveWorkers(database.db)).toBe(before - 1);
  expect(await renewWorker(ctx, lease, calm)).toEqual({ kind: "lapsed" });
});

test("the tasks of a worker are listed under each of its groups, and registering twice adds none (WRK-5)", async () => {
  await registerWorker(ctx, registration("w-tasks"));
  await registerWorker(ctx, registration("w-tasks"), () => true);
  const listed = (await listTasks(ctx)).filter((task) => task.name === "orders.clean");
  expect(listed.map((task) => task.group)).toEqual(["default", "warehouse"]);
});

test("the list shows who is live, and a group's queue by our own rows (RUN-4)", async () => {
  await registerWorker(ctx, registration("w-live"));
  await registerWorker(ctx, registration("w-dead"));
  await expire("w-dead");
  const listed = await listWorkers(ctx);
  const live = new Map(listed.workers.map((worker) => [worker.id, worker.isLive]));
  expect(live.get("w-live")).toBe(true);
  expect(live.get("w-dead")).toBe(false);
  expect(listed.groups.find((group) => group.name === "warehouse")).toMatchObject({ queued: 0, oldestReadyAt: null });
});

test("draining is an administrator's, is heard with the next renewal, and leaves an audit row (WRK-4, AUD-2)", async () => {
  const lease = await registerWorker(ctx, registration("w-drain"));
  const project = await makeProject(ctx);
  const editor = await makeUser(ctx, project, "admin");
  const input = { workerId: "w-drain", draining: true, reason: "kernel update" };
  await expect(drainWorker(actingAs(ctx, editor), input)).rejects.toMatchObject({ code: "forbidden" });
  await drainWorker(actingAs(ctx, await makeUser(ctx, null, "administrator")), input);
  expect(await renewWorker(ctx, lease, calm)).toEqual({ kind: "renewed", draining: true, breaker: WELL });
  const rows = await database.db.query.audit.findMany({ where: (row, { eq: equals }) => equals(row.objectId, "w-drain") });
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ verb: "worker.drain", reason: "kernel update", after: { draining: true } });
});

test("an administrator's drain outlives a lease that ran out, and ends with the next start of the process (WRK-4)", async () => {
  const lease = await registerWorker(ctx, registration("w-drained"));
  const administrator = actingAs(ctx, await makeUser(ctx, null, "administrator"));
  await drainWorker(administrator, { workerId: "w-drained", draining: true, reason: "kernel update" });
  await expire("w-drained");
  const again = await registerWorker(ctx, { ...registration("w-drained"), previousBootIds: [lease.bootId] });
  expect(await renewWorker(ctx, again, calm)).toEqual({ kind: "renewed", draining: true, breaker: WELL });
  await expire("w-drained");
  const restarted = await registerWorker(ctx, registration("w-drained"));
  expect(await renewWorker(ctx, restarted, calm)).toEqual({ kind: "renewed", draining: false, breaker: WELL });
});
