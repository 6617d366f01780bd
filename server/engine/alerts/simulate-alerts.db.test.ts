import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertDeliveries, alertPolicies, alertReceipts, alerts } from "@/db/schema/alerts";
import { audit } from "@/db/schema/platform";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { SHIPPED_POLICY } from "@/server/domain/alert/policy";
import { saveChannel } from "@/server/engine/channels/save-channel";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { acknowledgeAlert } from "./act-on-alert";
import { decideNew } from "./decide-new";
import { savePolicy } from "./policy";
import { releaseHeld } from "./release-held";
import { createSilence } from "./silences";
import { simulateAlerts } from "./simulate-alerts";

let database: TestDatabase;
let ctx: Ctx;
let admin: Ctx;
let viewer: Ctx;
let project: { id: string; key: string };
let fence: Fence;
let offsetMs = 0;
const reason = "a test";
const now = () => new Date(Date.now() + offsetMs);

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now, ports: recordingPorts() });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  offsetMs = 0;
  project = await makeProject(ctx);
  admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
  const access = { kind: "slack" as const, url: "https://hooks.slack.example/x" };
  await saveChannel(admin, { projectId: project.id, name: "ops", grade: "P3", access });
});
afterAll(() => database.close());

async function makeFailing(count: number) {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const nodes = Array.from({ length: count }, (_, at) => node(`n${at}`, [], { group, retry: { policy: "none" } }));
  return { pipeline: await makePipeline(ctx, project, nodes), group };
}

/** A run whose nodes fail for good with these codes, and is decided on. */
async function fail({ pipeline, group }: Awaited<ReturnType<typeof makeFailing>>, ...codes: string[]): Promise<void> {
  await startRun(ctx, pipeline);
  const worker = await makeWorker(ctx, [group]);
  await drive(ctx, worker, {
    groups: [group],
    end: ({ key }) => ({ kind: "failed", code: codes[Number(key.slice(1))], retryable: false }),
  });
  await decideNew(ctx, fence);
}

async function later(ms: number): Promise<void> {
  offsetMs += ms;
  await releaseHeld(ctx, fence);
}

const stored = async () => {
  const receipts = await ctx.db.select().from(alertReceipts).where(eq(alertReceipts.projectId, project.id));
  const count = (of: Parameters<typeof ctx.db.$count>[0]) => ctx.db.$count(of);
  return { receipts, rows: await Promise.all([alerts, alertDeliveries, alertPolicies, audit].map(count)) };
};

const tally = (endings: readonly string[]) =>
  [...new Set(endings)].sort().map((each) => `${each} ×${endings.filter((e) => e === each).length}`);

describe("the alert simulator (ALT-8)", () => {
  it("makes of what occurred what was decided, where the policy is the live one, and writes nothing (ALT-4, ALT-8)", async () => {
    const inhibitions = [{ id: "database", cause: "DB_*", targets: ["ORDER_*"], minutes: 5 }];
    const rules = SHIPPED_POLICY.rules;
    await savePolicy(admin, { projectId: project.id, revision: 0, policy: { ...SHIPPED_POLICY, inhibitions } });
    const [one, two, four] = [await makeFailing(1), await makeFailing(1), await makeFailing(4)];
    await fail(four, "C_ONE_BROKEN_500", "C_TWO_BROKEN_500", "C_THREE_BROKEN_500", "C_FOUR_BROKEN_500");
    await later(11 * 60_000);
    await fail(one, "A_STEP_TIMEOUT_504");
    await fail(one, "A_STEP_TIMEOUT_504");
    await later(11 * 60_000);
    await fail(one, "A_STEP_TIMEOUT_504");
    await createSilence(admin, { projectId: project.id, pattern: "B_*", endsAt: new Date(now().getTime() + 60_000), reason });
    await fail(two, "B_STEP_BROKEN_500");
    await later(12 * 60_000);
    await fail(two, "ORDER_STEP_BROKEN_500");
    await later(11_000);
    await fail(one, "DB_HOST_DOWN_500");
    await fail(two, "ORDER_OTHER_BROKEN_500");
    await later(15 * 60_000);
    const known = await ctx.db.select().from(alerts).where(eq(alerts.code, "A_STEP_TIMEOUT_504"));
    const mine = known.find(({ projectId }) => projectId === project.id);
    await acknowledgeAlert(admin, { id: mine?.id ?? "" });
    await later(15 * 60_000);
    await fail(one, "A_STEP_TIMEOUT_504");

    const before = await stored();
    const simulated = await simulateAlerts(viewer, { projectId: project.id });
    const { told, held } = simulated.live;
    const endings = [...told.map(({ grade, count }) => [grade, count] as const), ...held.map(({ by, count }) => [by, count] as const)];
    expect(endings.map(([ending, count]) => `${ending} ×${count}`).sort()).toEqual(
      tally(before.receipts.map(({ suppressedBy, grade }) => suppressedBy ?? grade)),
    );
    expect(new Set(before.receipts.map(({ suppressedBy }) => suppressedBy))).toEqual(
      new Set([null, "code", "silence", "inhibition", "batch", "acknowledged"]),
    );
    expect(simulated).toMatchObject({ total: before.receipts.length, isPartial: false, changed: [], newlyTold: 0, noLongerTold: 0 });

    const draft = { ...SHIPPED_POLICY, rules: rules.map((rule) => (rule.id === "timeout" ? { ...rule, grade: "P4" as const } : rule)) };
    const changed = await simulateAlerts(viewer, { projectId: project.id, policy: draft });
    expect(changed.changed.map(({ from, to }) => `${from}>${to}`)).toContain("P1>route");
    expect(changed.newlyTold).toBeGreaterThan(0);
    expect(await stored()).toEqual(before);
  });
});
