import { asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertDeliveries, alertInbox, alertReceipts, alerts } from "@/db/schema/alerts";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { saveChannel } from "@/server/engine/channels/save-channel";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { acknowledgeAlert, resolveAlert } from "./act-on-alert";
import { decideNew } from "./decide-new";
import { inboxWaiting } from "./inbox";
import { releaseHeld } from "./release-held";
import { resolveRecovered } from "./resolve-recovered";
import { createSilence, endSilence } from "./silences";

let database: TestDatabase;
let ctx: Ctx;
let operator: Ctx;
let project: { id: string };
let fence: Fence;
let offsetMs = 0;
const reason = "a test";
const CODE = "TEST_STEP_BROKEN_500";

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now: () => new Date(Date.now() + offsetMs), ports: recordingPorts() });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  offsetMs = 0;
  project = await newProject();
  operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
});
afterAll(() => database.close());

async function newProject(): Promise<{ id: string }> {
  const made = await makeProject(ctx);
  await saveChannel(ctx, { projectId: made.id, name: "ops", access: { kind: "slack", url: "https://hooks.slack.example/x" } });
  return made;
}

/** Runs of one pipeline of one node that fail for good. */
async function failing(of: { id: string } = project, key = "a") {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const pipeline = await makePipeline(ctx, of, [node(key, [], { group, retry: { policy: "none" } })]);
  return async (outcome: "failed" | "succeeded" = "failed"): Promise<string> => {
    const runId = await startRun(ctx, pipeline);
    const worker = await makeWorker(ctx, [group]);
    await drive(ctx, worker, {
      groups: [group],
      ...(outcome === "failed" ? { end: () => ({ kind: "failed", code: CODE, retryable: false }) as const } : {}),
    });
    return runId;
  };
}
const alertsOf = (id = project.id) => ctx.db.select().from(alerts).where(eq(alerts.projectId, id)).orderBy(asc(alerts.no));
const told = (id = project.id) => ctx.db.$count(alertDeliveries, eq(alertDeliveries.projectId, id));

describe("what cannot be decided on", () => {
  it("is set aside after five tries and told as such; the rest of its project and others are decided on at once (ALT-4, B43)", async () => {
    await database.sql.unsafe(`
      create or replace function refuse_bad() returns trigger language plpgsql as $$
      begin if new.node_key = 'bad' then raise exception 'no place for this one'; end if; return new; end $$;
      create or replace trigger refuse_bad before insert on alert_receipts for each row execute function refuse_bad()`);
    const other = await newProject();
    const bad = await (await failing(project, "bad"))();
    await (await failing(project, "good"))();
    await (await failing(other, "good"))();
    await decideNew(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ nodeKey: "good" }]);
    expect(await alertsOf(other.id)).toMatchObject([{ nodeKey: "good" }]);
    expect(await ctx.db.select().from(alertInbox)).toMatchObject([{ runId: bad, tries: 1, setAsideAt: null }]);
    for (let time = 0; time < 6; time++) {
      offsetMs += 300_000;
      await decideNew(ctx, fence);
    }
    expect(await ctx.db.select().from(alertInbox)).toMatchObject([
      { runId: bad, tries: 5, error: expect.stringContaining("no place"), setAsideAt: expect.any(Date) },
    ]);
    expect((await alertsOf()).map(({ code }) => code)).toEqual([CODE, "APOLLO_ALERT_UNDECIDED_500"]);
    await database.sql.unsafe("drop trigger refuse_bad on alert_receipts");
  });

  it("the inbox is read in its order by an index, and never sorted (ALT-4)", async () => {
    await database.sql`insert into alert_inbox (run_id, event_id, set_aside_at)
      select gen_random_uuid(), 1000000 + n, case when n % 2 = 0 then now() end from generate_series(1, 20000) n`;
    await database.sql`analyze alert_inbox`;
    const rows = await ctx.db.execute<{ "QUERY PLAN": string }>(sql`explain ${inboxWaiting(100, new Date())}`);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("alert_inbox_waiting");
    expect(plan).not.toMatch(/Sort|Seq Scan on alert_inbox/);
    await database.sql`delete from alert_inbox where event_id >= 1000000`;
  });
});

it("an old open alert is found by its key, however many newer ones are open (ALT-4)", async () => {
  const fail = await failing();
  await fail();
  await decideNew(ctx, fence);
  await database.sql`insert into alerts (id, project_id, no, key, kind, code, grade, message, label, count, first_at, last_at, sent_at)
    select gen_random_uuid(), ${project.id}, 100 + n, 'code:OTHER_' || n || '/', 'code', 'TEST_OTHER_' || n, 'P2', 'x', 'x', 1, now(), now() + interval '1 hour', now()
    from generate_series(1, 2100) n`;
  await fail();
  expect(await decideNew(ctx, fence)).toMatchObject({ count: 1 });
  expect(await alertsOf()).toMatchObject(expect.arrayContaining([expect.objectContaining({ no: 1, count: 2 })]));
  await ctx.db.update(alerts).set({ resolvedAt: new Date() }).where(eq(alerts.projectId, project.id));
});

/** Puts the node of a run into a state, past the guard of its moves. */
const put = (runId: string, state: string) =>
  database.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update node_runs set state = ${state} where run_id = ${runId}`;
  });

describe("an alert resolves by itself", () => {
  it("not while its node waits for a person, though the pipeline has run through since (ALT-4)", async () => {
    const run = await failing();
    const runId = await run();
    await decideNew(ctx, fence);
    await put(runId, "MANUAL_REVIEW");
    await run("succeeded");
    await resolveRecovered(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ resolvedAs: null }]);
    await put(runId, "FAILED");
    offsetMs = 10_000;
    await resolveRecovered(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ resolvedAs: "itself" }]);
  });

  it("and what flaps is told once, and again only when it stays (ALT-4)", async () => {
    const run = await failing();
    for (let time = 1; time <= 3; time++) {
      await run();
      await decideNew(ctx, fence);
      if (time === 3) break;
      await run("succeeded");
      offsetMs += 60_000;
      await resolveRecovered(ctx, fence);
    }
    expect((await alertsOf()).map(({ resolvedAs, suppressed }) => [resolvedAs, suppressed?.kind])).toEqual([
      ["itself", undefined],
      ["itself", "code"],
      [null, "code"],
    ]);
    expect(await told()).toBe(1);
    offsetMs += 10 * 60_000;
    await releaseHeld(ctx, fence);
    expect(await told()).toBe(2);
  });
});

it("of two silences that hold an alert one may end, and the other holds on; each has its receipt (ALT-4)", async () => {
  const until = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const first = await createSilence(operator, { projectId: project.id, pattern: "TEST_*", reason, endsAt: until(60) });
  await createSilence(operator, { projectId: project.id, pattern: "*_BROKEN_*", reason, endsAt: until(30) });
  await (await failing())();
  await decideNew(ctx, fence);
  const [receipt] = await ctx.db.select().from(alertReceipts).where(eq(alertReceipts.projectId, project.id));
  expect(receipt?.suppressors?.map(({ kind, data }) => [kind, data.no])).toEqual([
    ["silence", 1],
    ["silence", 2],
  ]);
  await endSilence(operator, { id: first.id });
  offsetMs = 1_000;
  await releaseHeld(ctx, fence);
  expect(await told()).toBe(0);
  expect(await alertsOf()).toMatchObject([{ suppressed: { kind: "silence", data: { no: 2 } } }]);
  offsetMs = 31 * 60_000;
  await releaseHeld(ctx, fence);
  const messages = await ctx.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, project.id));
  expect(messages).toMatchObject([{ message: { because: "it fires again because silence #2 has ended" } }]);
});

it("whoever looked at an older revision of an alert is refused (ALT-4, AUD-2)", async () => {
  await (await failing())();
  await decideNew(ctx, fence);
  const [alert] = await alertsOf();
  const { id = "", revision = 0 } = alert ?? {};
  await ctx.db.update(alerts).set({ grade: "P0" }).where(eq(alerts.id, id));
  await expect(acknowledgeAlert(operator, { id, revision })).rejects.toMatchObject({ code: "stale" });
  await expect(resolveAlert(operator, { id, revision, reason })).rejects.toMatchObject({ code: "stale" });
  await acknowledgeAlert(operator, { id, revision: revision + 1 });
});
