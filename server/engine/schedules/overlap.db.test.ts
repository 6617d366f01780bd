import { and, asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fires } from "@/db/schema/pipelines";
import { audit } from "@/db/schema/platform";
import { runs } from "@/db/schema/runs";
import { makeProject } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type ClockedWorld, clockedWorld, publishTimed, takeLease } from "@/db/testing/schedules";
import { createTurnNet } from "@/server/engine/runs/activate-waiting-runs";
import { cancelReplaced } from "./cancel-replaced";
import { fireDue } from "./fire-due";

const MINUTE = 60_000;

let database: TestDatabase;
let world: ClockedWorld;
let projectId: string;
let pipelineId: string;
let fence: { name: string; epoch: number };

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.sql`update schedules set removed_at = now(), next_fire_at = null`;
  world = clockedWorld(database, "2026-11-30T08:00:30.000Z");
  projectId = (await makeProject(world.ctx)).id;
  fence = await takeLease(database);
});
afterAll(() => database.close());

const begin = async (overlap: "skip" | "queue" | "allow" | "cancel_previous", spec: object = {}) => {
  const timed = [{ name: "often", cron: "* * * * *", timezone: "UTC", overlap }];
  pipelineId = (await publishTimed(world.ctx, projectId, overlap.replace("_", "-"), timed, spec)).pipelineId;
};
const slot = async () => {
  world.pass(MINUTE);
  return fireDue(world.ctx, fence);
};
const made = () => database.db.select().from(runs).where(eq(runs.pipelineId, pipelineId)).orderBy(asc(runs.scheduledAt));
const states = async () => (await made()).map((run) => run.state);
const reasons = async () => {
  const rows = await database.db.select().from(fires).where(eq(fires.pipelineId, pipelineId)).orderBy(asc(fires.fireAt));
  return rows.map(({ reason }) => reason);
};
const endFirst = async () => {
  const [first] = (await made()).filter((run) => run.state === "RUNNING");
  await database.sql`update runs set state = 'SUCCESS', ended_at = now() where id = ${first?.id ?? ""}`;
  await createTurnNet()(world.ctx, fence);
};

describe("a fire that meets the run before it (SCH-3)", () => {
  test("skip: it is recorded as skipped, and the next one after the end runs", async () => {
    await begin("skip");
    await slot();
    await slot();
    await endFirst();
    await slot();
    expect(await reasons()).toEqual([null, "overlap_skip", null]);
    expect(await states()).toEqual(["SUCCESS", "RUNNING"]);
  });

  test("queue: ten wait, the next is skipped, and they start one by one in the order of their slots (B26)", async () => {
    await begin("queue");
    for (let n = 0; n < 13; n++) await slot();
    expect(await states()).toEqual(["RUNNING", ...Array<string>(10).fill("PENDING")]);
    expect((await reasons()).slice(-2)).toEqual(["queue_full", "queue_full"]);
    for (let n = 1; n <= 10; n++) {
      await endFirst();
      const expected = Array.from({ length: 11 }, (_, index) => (index < n ? "SUCCESS" : index === n ? "RUNNING" : "PENDING"));
      expect(await states()).toEqual(expected);
    }
  });

  test("allow: all run beside one another", async () => {
    await begin("allow");
    for (let n = 0; n < 4; n++) await slot();
    expect(await states()).toEqual(Array(4).fill("RUNNING"));
  });

  test("cancel_previous: the newer run waits until the older one has been told to end, also after a crash in between", async () => {
    await begin("cancel_previous");
    await slot();
    expect(await slot()).toMatchObject({ replaces: true });
    expect(await states()).toEqual(["RUNNING", "PENDING"]);
    fence = await takeLease(database);
    expect(await cancelReplaced(world.ctx, fence)).toMatchObject({ count: 1 });
    await createTurnNet()(world.ctx, fence);
    expect(await states()).toEqual(["CANCELED", "RUNNING"]);
    const [older, newer] = await made();
    const [entry] = await database.db
      .select()
      .from(audit)
      .where(and(eq(audit.objectId, older?.id ?? ""), eq(audit.verb, "run.cancel")));
    expect(entry).toMatchObject({ actorKind: "system", actorLabel: "schedule often", reason: expect.stringContaining(newer?.id ?? "?") });
    expect(await cancelReplaced(world.ctx, fence)).toMatchObject({ count: 0 });
  });

  test("a limit of the pipeline holds beside the policy: never more than one at a time (B26)", async () => {
    await begin("allow", { concurrency: 1 });
    for (let n = 0; n < 3; n++) await slot();
    expect(await states()).toEqual(["RUNNING", "PENDING", "PENDING"]);
    await endFirst();
    expect(await states()).toEqual(["SUCCESS", "RUNNING", "PENDING"]);
  });
});
