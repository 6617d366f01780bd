import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertDeliveries, alertReceipts, alerts } from "@/db/schema/alerts";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { CODE_FACTS } from "@/db/testing/mutations";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { SHIPPED_POLICY } from "@/server/domain/alert/policy";
import { saveChannel } from "@/server/engine/channels/save-channel";
import { proposeCode } from "@/server/engine/codes/propose-code";
import { setReviewers } from "@/server/engine/codes/set-reviewers";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { retryNode } from "@/server/engine/runs/retry-node";
import { acknowledgeAlert, resolveAlert } from "./act-on-alert";
import { decideNew } from "./decide-new";
import { countAlerts, listAlerts, listRetrying, loadAlert } from "./list-alerts";
import { noiseLedger } from "./noise-ledger";
import { loadPolicy, savePolicy } from "./policy";
import { releaseHeld } from "./release-held";
import { resolveRecovered } from "./resolve-recovered";
import { createSilence, endSilence, listSilences } from "./silences";

let database: TestDatabase;
let ctx: Ctx;
let operator: Ctx;
let admin: Ctx;
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
  operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
  admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  await saveChannel(admin, {
    projectId: project.id,
    name: "ops",
    grade: "P3",
    access: { kind: "slack", url: "https://hooks.slack.example/x" },
  });
});
afterAll(() => database.close());

type Pipeline = Awaited<ReturnType<typeof makePipeline>>;

/** A pipeline of one node, or of several beside each other, that are never tried again. */
async function pipelineOf(codes: readonly string[]): Promise<{ pipeline: Pipeline; group: string }> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const nodes = codes.map((_, at) => node(`n${at}`, [], { group, retry: { policy: "none" } }));
  return { pipeline: await makePipeline(ctx, project, nodes), group };
}

/** A run of one node, or of several beside each other, all of which fail for good with the codes given. */
const fail = async (...codes: string[]): Promise<string> => failIn(await pipelineOf(codes), ...codes);

async function failIn({ pipeline, group }: { pipeline: Pipeline; group: string }, ...codes: string[]): Promise<string> {
  const runId = await startRun(ctx, pipeline);
  const worker = await makeWorker(ctx, [group]);
  await drive(ctx, worker, {
    groups: [group],
    end: ({ key }) => ({ kind: "failed", code: codes[Number(key.slice(1))], retryable: false }),
  });
  return runId;
}

const alertsOf = (id = project.id) => ctx.db.select().from(alerts).where(eq(alerts.projectId, id)).orderBy(asc(alerts.no));
const receiptsOf = () => ctx.db.select().from(alertReceipts).where(eq(alertReceipts.projectId, project.id));
const outbox = () =>
  ctx.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, project.id)).orderBy(asc(alertDeliveries.id));

describe("what fails", () => {
  it("is an alert with its face, one receipt and one delivery a channel, from the run's own events (ALT-1, ALT-2)", async () => {
    const runId = await fail("TEST_DB_TIMEOUT_504");
    await decideNew(ctx, fence);
    const { items } = await listAlerts(operator, { projectId: project.id });
    expect(items).toMatchObject([
      {
        no: 1,
        grade: "P1",
        code: "TEST_DB_TIMEOUT_504",
        message: "it broke",
        runId,
        nodeKey: "n0",
        owner: "tests",
        ruleId: "timeout",
        count: 1,
      },
    ]);
    expect(await outbox()).toMatchObject([
      { notice: 1, state: "waiting", message: { grade: "P1", facts: expect.arrayContaining([expect.stringContaining("attempt 1")]) } },
    ]);
    expect(await countAlerts(operator, { projectId: project.id })).toEqual({ urgent: 1, open: 1, suppressed: 0 });
    expect(await decideNew(ctx, fence)).toEqual({ count: 0, more: false });
    expect((await loadAlert(operator, { id: items[0]?.id ?? "" })).receipts).toMatchObject([{ heldBy: [], nodeKey: "n0" }]);
  });

  it("is as grave as the register says of its code, once that is registered (ALT-1, EXC-9)", async () => {
    const editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
    const at = { projectId: project.id };
    const facts = { ...CODE_FACTS, grade: "P1" as const };
    await proposeCode(editor, { ...at, code: "TEST_LEDGER_TORN_500", facts });
    await setReviewers(admin, { ...at, reviewers: 0 });
    await proposeCode(editor, { ...at, code: "TEST_STOCK_LOST_409", facts });
    for (const code of ["TEST_LEDGER_TORN_500", "TEST_STOCK_LOST_409"]) await fail(code);
    await decideNew(ctx, fence);
    expect((await alertsOf()).map(({ code, grade }) => [code, grade])).toEqual([
      ["TEST_LEDGER_TORN_500", "P2"],
      ["TEST_STOCK_LOST_409", "P1"],
    ]);
  });

  it("and retries pages nobody and is listed with when it comes again (ALT-2)", async () => {
    const group = `g-${ctx.ids.randomHex(4)}`;
    const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group, retry: { retries: 3, delays: ["1m"] } })]));
    await drive(ctx, await makeWorker(ctx, [group]), { groups: [group], end: () => ({ kind: "failed", code: "TEST_DB_TIMEOUT_504" }) });
    await decideNew(ctx, fence);
    expect(await alertsOf()).toEqual([]);
    expect(await listRetrying(operator, { projectId: project.id })).toMatchObject([
      { runId, nodeKey: "a", code: "TEST_DB_TIMEOUT_504", attempts: 1, dueAt: expect.any(Date) },
    ]);
  });

  it("together is one suspected batch failure with a receipt of each (ALT-2)", async () => {
    await fail("TEST_A_BROKEN_1", "TEST_B_BROKEN_1", "TEST_C_BROKEN_1", "TEST_D_BROKEN_1");
    await decideNew(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ kind: "batch", count: 4, notices: 1 }]);
    expect(await outbox()).toHaveLength(1);
    expect((await receiptsOf()).map(({ suppressedBy }) => suppressedBy).sort()).toEqual(["batch", "batch", "batch", null]);
  });

  it("with the same code within ten minutes is merged, told again after them, and once acknowledged no more (ALT-4)", async () => {
    const where = await pipelineOf(["TEST_STEP_BROKEN_500"]);
    for (let time = 0; time < 2; time++) await failIn(where, "TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ count: 2, notices: 1 }]);
    offsetMs = 11 * 60_000;
    await failIn(where, "TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    const [alert] = await alertsOf();
    expect(alert).toMatchObject({ count: 3, notices: 2 });
    expect((await outbox())[1]?.message).toMatchObject({ because: "it has occurred 3 times by now" });
    await acknowledgeAlert(operator, { id: alert?.id ?? "" });
    offsetMs = 22 * 60_000;
    await failIn(where, "TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ count: 4, notices: 2 }]);
    // Nobody takes care of another pipeline that fails with the same code.
    await fail("TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    const [known, other] = await alertsOf();
    expect([known?.notices, other?.notices]).toEqual([2, 1]);
    expect(other?.pipelineId).not.toBe(known?.pipelineId);
  });

  it("500 nodes under one upstream cause are one page and 500 receipts, though the cause comes after them (ALT-4)", async () => {
    const inhibitions = [{ id: "db", cause: "TEST_DB_*", targets: ["TEST_ORDER_*"], minutes: 5 }];
    await savePolicy(admin, { projectId: project.id, revision: 0, policy: { ...SHIPPED_POLICY, inhibitions } });
    const codes = Array.from({ length: 100 }, () => "TEST_ORDER_BROKEN_500");
    const where = await pipelineOf(codes);
    for (let run = 0; run < 5; run++) await failIn(where, ...codes);
    while ((await decideNew(ctx, fence, { limit: 100 })).more);
    expect(await outbox()).toEqual([]);
    offsetMs = 5_000;
    await fail("TEST_DB_DOWN_503");
    offsetMs = 11_000;
    // What waits for its cause waits as long as that may still lie in the inbox.
    await releaseHeld(ctx, fence);
    expect(await outbox()).toEqual([]);
    while ((await decideNew(ctx, fence, { limit: 100 })).more);
    await releaseHeld(ctx, fence);
    const sent = await outbox();
    expect(sent.map(({ message }) => (message as { code: string }).code)).toEqual(["TEST_DB_DOWN_503"]);
    const kept = (await receiptsOf()).filter(({ code }) => code === "TEST_ORDER_BROKEN_500");
    expect(kept).toHaveLength(500);
    expect(new Set(kept.map(({ suppressedBy }) => suppressedBy))).toEqual(new Set(["inhibition"]));
    expect(kept.every(({ suppressors }) => suppressors?.[0]?.data.cause === "TEST_DB_DOWN_503")).toBe(true);
    // Whoever reads the list is told by what, and nobody is paged as long as the cause is open.
    const { items } = await listAlerts(operator, { projectId: project.id, show: "suppressed" });
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(500);
    offsetMs = 3_600_000;
    await releaseHeld(ctx, fence);
    expect(await outbox()).toHaveLength(1);
  });

  it("is resolved by itself once its node went well, and is a new alert when it fails again (ALT-8)", async () => {
    const runId = await fail("TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    expect(await resolveRecovered(ctx, fence)).toMatchObject({ count: 0 });
    await retryNode(operator, { runId, key: "n0", reason });
    const [row] = await database.sql`select worker_group from node_runs where run_id = ${runId}`;
    await drive(ctx, await makeWorker(ctx, [String(row?.worker_group)]), { groups: [String(row?.worker_group)] });
    // Each open alert is looked at now and then.
    offsetMs = 10_000;
    await resolveRecovered(ctx, fence);
    expect(await alertsOf()).toMatchObject([{ resolvedAs: "itself" }]);
    await fail("TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    expect((await alertsOf()).map(({ no, resolvedAs }) => [no, resolvedAs])).toEqual([
      [1, "itself"],
      [2, null],
    ]);
  });

  it("written by a transaction that commits later under a lower id is not passed by (ALT-2)", async () => {
    const slow = database.another();
    let commit = () => {};
    const waits = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let written = () => {};
    const isWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const first = await fail("TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    const late = slow.sql.begin(async (tx) => {
      await tx`insert into run_events (run_id, event, node_key, generation, attempt_no, from_state, to_state, actor, cause, data)
        values (${first}, 'attemptFailed', 'n0', 2, 1, 'RUNNING', 'FAILED', '{"kind":"worker"}', 'x', '{"code":"TEST_LATE_OOM_137"}')`;
      written();
      await waits;
    });
    await isWritten;
    await fail("TEST_OTHER_BROKEN_500");
    await decideNew(ctx, fence);
    commit();
    await late;
    await decideNew(ctx, fence);
    expect((await receiptsOf()).map(({ code }) => code).sort()).toEqual([
      "TEST_LATE_OOM_137",
      "TEST_OTHER_BROKEN_500",
      "TEST_STEP_BROKEN_500",
    ]);
  });
});

it("a decision of a stale epoch is refused, and what failed stays for the leader (ALT-4, SCH-7)", async () => {
  await fail("TEST_STEP_BROKEN_500");
  await expect(decideNew(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toMatchObject({ code: "stale" });
  expect(await alertsOf()).toEqual([]);
  await decideNew(ctx, fence);
  expect(await alertsOf()).toHaveLength(1);
});

describe("silences", () => {
  it("keep back what they name with a receipt, and it fires again because silence #1 has ended (ALT-4)", async () => {
    const silence = await createSilence(operator, {
      projectId: project.id,
      pattern: "TEST_*",
      reason,
      endsAt: new Date(Date.now() + 60_000),
    });
    await fail("TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    expect(await outbox()).toEqual([]);
    expect(await receiptsOf()).toMatchObject([{ suppressedBy: "silence", suppressors: [{ data: { no: 1, reason } }] }]);
    expect((await listSilences(operator, { projectId: project.id })).items).toMatchObject([{ no: 1, holds: 1, active: true, reason }]);
    await endSilence(operator, { id: silence.id });
    offsetMs = 1_000;
    await releaseHeld(ctx, fence);
    expect(await releaseHeld(ctx, fence)).toMatchObject({ count: 0 });
    expect(await outbox()).toMatchObject([{ message: { because: "it fires again because silence #1 has ended" } }]);
    await expect(endSilence(operator, { id: silence.id })).rejects.toMatchObject({ code: "stale" });
  });

  it("an end that is past or never comes is refused, and so is whoever may only look (ALT-4)", async () => {
    const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
    const input = { projectId: project.id, pattern: "*", reason };
    for (const days of [-1, 31]) {
      const endsAt = new Date(Date.now() + days * 86_400_000);
      await expect(createSilence(operator, { ...input, endsAt })).rejects.toMatchObject({ code: "invalid_input" });
    }
    await expect(createSilence(viewer, { ...input, endsAt: new Date(Date.now() + 1_000) })).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("people", () => {
  it("acknowledge and resolve once; the second is told who was first (AUD-2)", async () => {
    await fail("TEST_STEP_BROKEN_500");
    await decideNew(ctx, fence);
    const [alert] = await alertsOf();
    const id = alert?.id ?? "";
    await acknowledgeAlert(operator, { id });
    await expect(acknowledgeAlert(operator, { id })).rejects.toMatchObject({ code: "stale" });
    await resolveAlert(operator, { id, reason });
    await expect(resolveAlert(operator, { id, reason })).rejects.toMatchObject({ code: "stale" });
    const rows = await database.sql`select verb from audit where project_id = ${project.id} order by seq`;
    expect(rows.map(({ verb }) => verb)).toEqual(["channel.create", "alert.acknowledge", "alert.resolve"]);
    expect(await noiseLedger(operator, { projectId: project.id })).toMatchObject([
      { ruleId: null, occurrences: 1, suppressed: 0, sent: 1, acknowledged: 1, actedOn: 1, byItself: 0, precision: 1 },
    ]);
  });

  it("save rules whole; one that saw an older revision is refused, and so is a P0 without what to do (ALT-1)", async () => {
    const save = (revision: number, policy: object) =>
      savePolicy(admin, { projectId: project.id, revision, policy: policy as typeof SHIPPED_POLICY });
    expect(await save(0, SHIPPED_POLICY)).toEqual({ revision: 1 });
    await expect(save(0, SHIPPED_POLICY)).rejects.toMatchObject({ code: "stale" });
    const [rule] = SHIPPED_POLICY.rules;
    await expect(save(1, { ...SHIPPED_POLICY, rules: [{ ...rule, actionRequired: null }] })).rejects.toThrow(/what is to be done/);
    expect(await loadPolicy(operator, { projectId: project.id })).toMatchObject({ revision: 1, savedBy: expect.any(String) });
  });
});
