import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { alertDeliveries, alertReceipts, alerts } from "@/db/schema/alerts";
import { type Mortal, openMortal } from "@/db/testing/crashing-run";
import { makeProject, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { type Death, type Failpoint, openFailpoint } from "@/db/testing/failpoint";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import { saveChannel } from "@/server/engine/channels/save-channel";
import { sendDue } from "@/server/engine/channels/send-due";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { decideNew } from "./decide-new";

let database: TestDatabase;
let failpoint: Failpoint;
let mortal: Mortal;
let ctx: Ctx;
let fence: Fence;
let received: string[] = [];
let offsetMs = 0;
let answers = 200;

beforeAll(async () => {
  database = await openTestDatabase();
  failpoint = await openFailpoint(database.url);
  mortal = openMortal(failpoint);
  const http = {
    send: async ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => {
      received.push(headers["webhook-id"] ?? "");
      return { status: answers, headers: {}, body: "", truncated: false, finalUrl: "" };
    },
  };
  ctx = testCtx(database.db, { now: () => new Date(Date.now() + offsetMs), ports: { ...recordingPorts(), http } });
  fence = await makeFence(ctx);
});
afterAll(async () => {
  await mortal.close();
  await failpoint.close();
  await database.close();
});

/** A project with a channel in which one node has just failed for good. */
async function failing(): Promise<string> {
  const project = await makeProject(ctx);
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const access = { kind: "webhook", url: "https://ops.example/hook", secret } as const;
  await saveChannel(ctx, { projectId: project.id, name: "ops", access });
  const group = `g-${ctx.ids.randomHex(4)}`;
  await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, retry: { policy: "none" } })]));
  await drive(ctx, await makeWorker(ctx, [group]), { groups: [group], end: () => ({ kind: "failed", retryable: false }) });
  return project.id;
}

/** Lets the leader die at every statement of a duty, before and after it, until it is through; answers with how often it died. */
async function atEveryStatement(work: (death: Death, dying: Ctx) => Promise<void>): Promise<number> {
  for (let statement = 1; ; statement++) {
    for (const side of ["before", "after"] as const) {
      await mortal.db.execute("select 1");
      received = [];
      await work({ statement, side }, { ...ctx, db: mortal.db });
      if (!lastDied) return statement;
    }
  }
}
let lastDied = false;

/** What a dead process had locked is free as soon as the database has noticed; the successor looks each second. */
const untilDecided = (projectId: string) =>
  until("it is decided", async () => {
    await decideNew(ctx, fence);
    return (await database.db.$count(alerts, eq(alerts.projectId, projectId))) > 0;
  });

async function dying(death: Death, duty: () => Promise<unknown>): Promise<void> {
  failpoint.arm(death);
  await duty().catch(() => undefined);
  lastDied = failpoint.disarm().died;
}

it("a leader that is killed at any statement of a decision leaves all of it or nothing: one alert, one receipt, one delivery (ALT-4)", async () => {
  const statements = await atEveryStatement(async (death, mortalCtx) => {
    const projectId = await failing();
    await dying(death, () => decideNew(mortalCtx, fence));
    await untilDecided(projectId);
    const told = `${death.side} ${death.statement}`;
    expect(await database.db.select().from(alerts).where(eq(alerts.projectId, projectId)), told).toMatchObject([{ count: 1, notices: 1 }]);
    expect(await database.db.select().from(alertReceipts).where(eq(alertReceipts.projectId, projectId)), told).toHaveLength(1);
    expect(await database.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, projectId)), told).toHaveLength(1);
  });
  expect(statements).toBeGreaterThan(10);
}, 120_000);

it("a sender that is killed at any statement delivers at least once, under one event id, as soon as its successor may (B93, ALT-6)", async () => {
  while ((await sendDue(ctx, fence)).more);
  const times: number[] = [];
  const statements = await atEveryStatement(async (death, mortalCtx) => {
    const projectId = await failing();
    await untilDecided(projectId);
    await dying(death, () => sendDue(mortalCtx, fence));
    offsetMs += 31_000;
    const delivery = await until("it is sent", async () => {
      await sendDue(ctx, fence);
      const [row] = await database.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, projectId));
      return row?.state === "sent" ? row : null;
    });
    const told = `${death.side} ${death.statement}`;
    expect(received.length, told).toBeGreaterThan(0);
    expect(new Set(received), told).toEqual(new Set([delivery.id]));
    times.push(received.length);
  });
  expect(statements).toBeGreaterThan(3);
  // Between the answer and the note of it nobody can know: there it comes twice, with the id that says so.
  expect(new Set(times)).toEqual(new Set([1, 2]));
}, 120_000);

it("what a receiver refuses is tried again until it takes it, and two minutes after it is back everything is there (B93)", async () => {
  const projectId = await failing();
  await decideNew(ctx, fence);
  answers = 503;
  for (let minute = 0; minute < 30; minute++) {
    await sendDue(ctx, fence);
    offsetMs += 60_000;
  }
  const find = async () => (await database.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, projectId)))[0];
  expect(await find()).toMatchObject({ state: "waiting", status: 503, error: "it answered 503" });
  answers = 200;
  offsetMs += 60_000;
  await sendDue(ctx, fence);
  expect(await find()).toMatchObject({ state: "sent", error: null });
});
