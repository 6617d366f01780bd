import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workers } from "@/db/schema/platform";
import { testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { until } from "@/db/testing/wait";
import type { Ctx } from "@/server/engine/context";
import { registerWorker } from "@/server/engine/workers/register-worker";
import { LeaseKeeper } from "./lease-keeper";

let database: TestDatabase;
let base: Ctx;
beforeAll(async () => {
  database = await openTestDatabase();
  base = testCtx(database.db);
});
afterAll(() => database.close());

/** A keeper under a name of its own, with the boot ids that it has registered under. */
function keeperOf() {
  const bootIds: string[] = [];
  const uuid = (at?: Date) => {
    const id = base.ids.uuid(at);
    bootIds.push(id);
    return id;
  };
  const ctx = { ...base, ids: { ...base.ids, uuid } };
  const identity = {
    id: `w-${base.ids.randomHex(4)}`,
    groups: ["default"],
    slots: 1,
    hostname: "test",
    pid: process.pid,
    site: null,
    fingerprint: {},
    tasks: [],
  };
  const keeper = new LeaseKeeper({
    ctx,
    openLane: () => database.another(),
    registration: () => identity,
    heartbeat: () => ({ refusing: null, report: {} }),
    onLapsed: () => undefined,
    onRegistered: () => undefined,
    onDraining: () => undefined,
    onBreaker: () => undefined,
  });
  /** Somebody registers under the keeper's name, live or not. */
  const take = (bootId: string) => registerWorker(base, { ...identity, bootId, previousBootIds: [] }, () => true);
  const expire = () =>
    database.db
      .update(workers)
      .set({ expiresAt: new Date(0) })
      .where(eq(workers.id, identity.id));
  return { keeper, bootIds, take, expire };
}

test("a registration of its own whose answer was lost, and which is made late, does not end the worker: it registers again (B48, F24)", async () => {
  const { keeper, bootIds, take, expire } = keeperOf();
  await keeper.start();
  await expire();
  keeper.renewSoon();
  await until("it registers again", async () => bootIds.length === 2 && keeper.lease?.bootId === bootIds[1]);
  await take(bootIds[0] ?? "");
  keeper.renewSoon();
  await until("it has its name back", async () => bootIds.length === 3 && keeper.lease?.bootId === bootIds[2]);
  await expect(Promise.race([keeper.failed, keeper.stop()])).resolves.toBeUndefined();
});

test("another process that takes the name ends the worker, with what to do (B48)", async () => {
  const { keeper, take } = keeperOf();
  await keeper.start();
  await take(base.ids.uuid());
  keeper.renewSoon();
  await expect(keeper.failed).rejects.toThrow("Give each its own APOLLO_WORKER_ID");
  expect(keeper.lease).toBeNull();
  await keeper.stop();
});
