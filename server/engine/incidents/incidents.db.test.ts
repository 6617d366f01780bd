import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertDeliveries, alerts } from "@/db/schema/alerts";
import { incidentAlerts, incidentInbox, incidents } from "@/db/schema/incidents";
import { openMortal } from "@/db/testing/crashing-run";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { openFailpoint } from "@/db/testing/failpoint";
import { node } from "@/db/testing/plans";
import { drive, makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { until } from "@/db/testing/wait";
import type { Principal } from "@/server/domain/access/roles";
import { EMPTY_REVIEW, type ReviewForm } from "@/server/domain/incident/review";
import { acknowledgeAlert } from "@/server/engine/alerts/act-on-alert";
import { decideNew } from "@/server/engine/alerts/decide-new";
import { saveChannel } from "@/server/engine/channels/save-channel";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { retryNode } from "@/server/engine/runs/retry-node";
import { acknowledgeIncident, closeIncident, reopenIncident, resolveIncident } from "./act-on-incident";
import { completeAction } from "./complete-action";
import { exportReview } from "./export-review";
import { groupNew } from "./group-new";
import { assignIncident, escalateIncident } from "./hand-over";
import { fixesOf } from "./list-fixes";
import { incidentStats, listIncidents } from "./list-incidents";
import { loadIncident } from "./load-incident";
import { loadTimeline } from "./load-timeline";
import { listOwners } from "./owners";
import { saveIncidentReview } from "./save-review";

let database: TestDatabase;
let ctx: Ctx;
let person: Principal & { kind: "user" };
let operator: Ctx;
let editor: Ctx;
let project: { id: string; key: string };
let fence: Fence;
let offsetMs = 0;
const reason = "a test";
const TIMEOUT = "TEST_DB_TIMEOUT_504";

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now: () => new Date(Date.now() + offsetMs), ports: recordingPorts() });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  offsetMs = 0;
  project = await makeProject(ctx);
  person = (await makeUser(ctx, project, "operator")) as typeof person;
  operator = actingAs(ctx, person);
  editor = actingAs(ctx, await makeUser(ctx, project, "editor"));
});
afterAll(() => database.close());

type Place = Awaited<ReturnType<typeof makePlace>>;
async function makePlace() {
  const group = `g-${ctx.ids.randomHex(4)}`;
  return { group, pipeline: await makePipeline(ctx, project, [node("a", [], { group, retry: { policy: "none" } })]) };
}

/** A run of one node that fails for good, decided on as an alert. */
async function fail(code = TIMEOUT, place?: Place): Promise<string> {
  const { pipeline, group } = place ?? (await makePlace());
  const runId = await startRun(ctx, pipeline);
  await drive(ctx, await makeWorker(ctx, [group]), { groups: [group], end: () => ({ kind: "failed", code, retryable: false }) });
  await decideNew(ctx, fence);
  return runId;
}

const rows = (projectId = project.id) =>
  ctx.db.select().from(incidents).where(eq(incidents.projectId, projectId)).orderBy(asc(incidents.no));

async function opened(code = TIMEOUT, place?: Place): Promise<{ id: string; revision: number; runId: string }> {
  const runId = await fail(code, place);
  await groupNew(ctx, fence);
  const row = (await rows()).at(-1);
  if (!row) throw new Error("no incident");
  return { id: row.id, revision: row.revision, runId };
}

const formOf = (more: Partial<ReviewForm> = {}): ReviewForm => ({
  ...{ ...EMPTY_REVIEW, rootCause: "dependency", impact: ["customers"], fix: "restarted the database", codes: [TIMEOUT] },
  actions: [
    { id: ctx.ids.uuid(), what: "an alarm on its connections", ownerId: person.id, due: "2026-01-01", proof: "it rings in a drill" },
  ],
  ...more,
});

/** An incident that was resolved and closed with its complete review. */
async function reviewed(place?: Place): Promise<{ id: string; form: ReviewForm }> {
  const { id, revision } = await opened(TIMEOUT, place);
  const form = formOf();
  await saveIncidentReview(operator, { id, revision: 0, form });
  const resolved = await resolveIncident(operator, { id, revision, reason });
  await closeIncident(editor, { id, revision: resolved.revision });
  return { id, form };
}

describe("alerts", () => {
  it("become an incident with owner, first failure and facts, and it resolves when they do (INC-1)", async () => {
    const { id, runId } = await opened();
    const found = await loadIncident(operator, { id });
    expect(found).toMatchObject({ no: 1, code: TIMEOUT, severity: "P1", state: "open", owner: "tests", ownerId: null });
    expect(found.facts).toMatchObject({ runsFailed: 1, attempts: 1, codes: [TIMEOUT], detectionMs: null });
    expect(found.firstFailureAt).toBeInstanceOf(Date);
    expect(found.review.form.codes).toEqual([TIMEOUT]);
    await ctx.db.update(alerts).set({ resolvedAt: new Date(), resolvedAs: "itself" }).where(eq(alerts.runId, runId));
    await groupNew(ctx, fence);
    expect(await rows()).toMatchObject([{ state: "resolved", resolvedAs: "itself" }]);
    expect(await groupNew(ctx, fence)).toEqual({ count: 0, more: false });
  });

  it("are grouped once, whichever statement the leader dies at: all of it is there or nothing (INC-1)", async () => {
    const failpoint = await openFailpoint(database.url);
    const mortal = openMortal(failpoint);
    let statements = 0;
    for (let died = true, statement = 1; died; statement++) {
      for (const side of ["before", "after"] as const) {
        await mortal.db.execute("select 1");
        const own = await makeProject(ctx);
        project = own;
        await fail();
        failpoint.arm({ statement, side });
        await groupNew({ ...ctx, db: mortal.db }, fence).catch(() => undefined);
        died = failpoint.disarm().died;
        await until("it is grouped", async () => {
          await groupNew(ctx, fence);
          return (await rows(own.id)).length > 0;
        });
        const told = `${side} ${statement}`;
        expect(await rows(own.id), told).toMatchObject([{ no: 1, state: "open" }]);
        expect(await ctx.db.$count(incidentAlerts, eq(incidentAlerts.incidentId, (await rows(own.id))[0]?.id ?? "")), told).toBe(1);
        expect(await ctx.db.$count(incidentInbox), told).toBe(0);
      }
      statements = statement;
    }
    expect(statements).toBeGreaterThan(8);
    await mortal.close();
    await failpoint.close();
  }, 120_000);

  it("are refused to a leader of a stale epoch (INC-1)", async () => {
    await fail();
    await expect(groupNew(ctx, { ...fence, epoch: fence.epoch - 1 })).rejects.toThrow();
    expect(await rows()).toEqual([]);
  });

  it("that somebody acknowledges in the alert centre acknowledge the incident (INC-1)", async () => {
    const { id } = await opened();
    const { alerts: own } = await loadIncident(operator, { id });
    await acknowledgeAlert(operator, { id: own[0]?.id ?? "" });
    await groupNew(ctx, fence);
    expect(await rows()).toMatchObject([{ state: "acknowledged", acknowledgedBy: person.label }]);
  });
});

describe("people", () => {
  it("acknowledge, resolve and reopen it with its alerts; each leaves one audit row, and who saw an older one is refused (AUD-2)", async () => {
    const { id, revision } = await opened();
    const taken = await acknowledgeIncident(operator, { id, revision });
    expect(taken).toMatchObject({ state: "acknowledged", owner: person.label, ownerId: person.id });
    await expect(acknowledgeIncident(operator, { id, revision })).rejects.toMatchObject({
      code: "stale",
      details: { state: "acknowledged", owner: person.label },
    });
    await expect(acknowledgeIncident(operator, { id, revision: taken.revision })).rejects.toMatchObject({ code: "illegal_transition" });
    const resolved = await resolveIncident(operator, { id, revision: taken.revision, reason });
    expect(await ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id))).toMatchObject([
      { acknowledgedBy: person.label, resolvedAs: "person", resolvedReason: reason },
    ]);
    await reopenIncident(operator, { id, revision: resolved.revision, reason });
    const audit = await database.sql`select verb from audit where object_kind = 'incident' and object_id = ${id} order by seq`;
    expect(audit.map(({ verb }) => verb)).toEqual(["incident.acknowledge", "incident.resolve", "incident.reopen"]);
    expect(await incidentStats(operator, { projectId: project.id })).toMatchObject({ opened: 1, ongoing: 1, mttrMs: null });
  });

  it("reopen no older incident beside a newer one that goes on, and what comes next joins the one that does (INC-1)", async () => {
    const place = await makePlace();
    const older = await opened(TIMEOUT, place);
    const resolved = await resolveIncident(operator, { id: older.id, revision: older.revision, reason });
    const longAgo = () =>
      ctx.db
        .update(incidents)
        .set({ resolvedAt: new Date(Date.now() - 40 * 60_000) })
        .where(eq(incidents.state, "resolved"));
    await longAgo();
    const newer = await opened(TIMEOUT, place);
    await expect(reopenIncident(operator, { id: older.id, revision: resolved.revision, reason })).rejects.toMatchObject({
      code: "illegal_transition",
      message: expect.stringContaining("incident #2"),
      details: { otherId: newer.id },
    });
    await resolveIncident(operator, { id: newer.id, revision: newer.revision, reason });
    await reopenIncident(operator, { id: older.id, revision: resolved.revision, reason });
    await longAgo();
    await fail(TIMEOUT, place);
    await groupNew(ctx, fence);
    expect(await rows()).toMatchObject([
      { no: 1, state: "open" },
      { no: 2, state: "resolved" },
    ]);
    expect((await loadIncident(operator, { id: older.id })).alerts).toHaveLength(2);
  });

  it("who may only look change nothing, and an operator closes nothing (AUD-1)", async () => {
    const { id, revision } = await opened();
    const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    await expect(acknowledgeIncident(viewer, { id, revision })).rejects.toMatchObject({ code: "forbidden" });
    await expect(saveIncidentReview(viewer, { id, revision: 0, form: EMPTY_REVIEW })).rejects.toMatchObject({ code: "forbidden" });
    await expect(closeIncident(operator, { id, revision })).rejects.toMatchObject({ code: "forbidden" });
    await expect(loadIncident(stranger, { id })).rejects.toMatchObject({ code: "not_found" });
  });

  it("escalate to a graver grade, and the channels that take it are told by whom and why (INC-1)", async () => {
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    const access = { kind: "slack", url: "https://hooks.slack.example/x" } as const;
    await saveChannel(admin, { projectId: project.id, name: "night", grade: "P0", access });
    const { id, revision } = await opened();
    expect(await escalateIncident(operator, { id, revision, severity: "P0", reason: "customers wait" })).toMatchObject({
      severity: "P0",
      told: 1,
    });
    expect(await ctx.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, project.id))).toMatchObject([
      { message: { grade: "P0", because: `${person.label} escalated incident #1 to P0: customers wait` } },
    ]);
    await expect(escalateIncident(operator, { id, revision: revision + 1, severity: "P2", reason })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("give it to somebody who may act in the project, and to nobody else (INC-1)", async () => {
    const { id, revision } = await opened();
    const viewer = await makeUser(ctx, project, "viewer");
    await expect(assignIncident(operator, { id, revision, ownerId: (viewer as typeof person).id })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await assignIncident(operator, { id, revision, ownerId: person.id })).toMatchObject({ ownerId: person.id });
    const administrator = await makeUser(ctx, null, "administrator");
    expect(await assignIncident(operator, { id, revision: revision + 1, ownerId: administrator.id })).toMatchObject({
      ownerId: administrator.id,
    });
    const offered = (await listOwners(operator, { projectId: project.id })).map((owner) => owner.id);
    expect(offered).toEqual(expect.arrayContaining([person.id, administrator.id]));
    expect(offered).not.toContain((viewer as typeof person).id);
  });
});

describe("a post-incident review", () => {
  it("without its prevention closes no P1, is kept as a draft, and closes it once it is complete (INC-2)", async () => {
    const { id, revision } = await opened();
    const draft = await saveIncidentReview(operator, { id, revision: 0, form: formOf({ actions: [] }) });
    expect(draft).toEqual({ revision: 1, missing: 1 });
    const resolved = await resolveIncident(operator, { id, revision, reason });
    await expect(closeIncident(editor, { id, revision: resolved.revision })).rejects.toMatchObject({
      code: "unprocessable",
      issues: [{ path: "actions" }],
    });
    await saveIncidentReview(operator, { id, revision: 1, form: formOf() });
    expect(await closeIncident(editor, { id, revision: resolved.revision })).toMatchObject({
      state: "closed",
      reviewedAt: expect.any(Date),
    });
    expect(await fixesOf(operator, { projectId: project.id, code: TIMEOUT })).toMatchObject([{ no: 1, fix: "restarted the database" }]);
    expect(await exportReview(operator, { id })).toContain("an alarm on its connections");
    await expect(saveIncidentReview(operator, { id, revision: 2, form: formOf() })).rejects.toMatchObject({ code: "illegal_transition" });
  });

  it("edited by two tells the slower one who was quicker and what has changed (INC-2)", async () => {
    const { id } = await opened();
    await saveIncidentReview(operator, { id, revision: 0, form: formOf() });
    await expect(saveIncidentReview(editor, { id, revision: 0, form: formOf({ fix: "mine" }) })).rejects.toMatchObject({
      code: "stale",
      details: { savedBy: person.label, changed: expect.arrayContaining(["fix", "actions"]) },
    });
  });

  it("has actions that are done once, with their proof, and stay as they were done (INC-2)", async () => {
    const { id } = await opened();
    const form = formOf();
    await saveIncidentReview(operator, { id, revision: 0, form });
    const actionId = form.actions[0]?.id ?? "";
    expect(await completeAction(operator, { id: actionId, note: "it rang" })).toMatchObject({ done: { note: "it rang" }, overdue: false });
    await expect(completeAction(editor, { id: actionId, note: "again" })).rejects.toMatchObject({ code: "stale" });
    await saveIncidentReview(operator, { id, revision: 1, form: formOf({ actions: [] }) });
    expect((await loadIncident(operator, { id })).actions).toMatchObject([{ id: actionId, done: { note: "it rang" } }]);
  });

  it("stays what fixed it last time where its code comes back in the same pipeline a moment later, and the new incident names it (INC-3, INC-6)", async () => {
    const place = await makePlace();
    const first = await reviewed(place);
    const second = await opened(TIMEOUT, place);
    expect(await rows()).toMatchObject([
      { id: first.id, state: "closed", reviewedAt: expect.any(Date), recurredIn: second.id },
      { id: second.id, state: "open", no: 2, recurrenceOf: first.id },
    ]);
    expect(await fixesOf(operator, { projectId: project.id, code: TIMEOUT })).toMatchObject([{ no: 1, fix: "restarted the database" }]);
  });

  it("whose code comes back is open to discussion again, and the new incident names whose action is overdue, its alert what fixed it (INC-3, INC-6)", async () => {
    const first = await reviewed();
    offsetMs = 40 * 60_000;
    const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
    await saveChannel(admin, { projectId: project.id, name: "ops", access: { kind: "slack", url: "https://hooks.slack.example/x" } });
    const second = await opened();
    expect(await ctx.db.select().from(alertDeliveries).where(eq(alertDeliveries.projectId, project.id))).toMatchObject([
      { message: { facts: expect.arrayContaining(["what fixed it last time (incident #1): restarted the database"]) } },
    ]);
    expect((await loadIncident(operator, { id: second.id })).recurrence).toMatchObject({
      ...{ id: first.id, no: 1, verdict: "overdue", fix: "restarted the database" },
      actions: [{ owner: person.label, overdue: true }],
    });
    expect((await loadIncident(operator, { id: first.id })).recurredIn).toMatchObject({ id: second.id, no: 2 });
    await saveIncidentReview(operator, { id: first.id, revision: 1, form: { ...first.form, summary: "it came back" } });
    await expect(saveIncidentReview(operator, { id: first.id, revision: 2, form: EMPTY_REVIEW })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

describe("what is shown", () => {
  it("is the timeline of every stream in order, page by page as in one (INC-1)", async () => {
    const { id, revision, runId } = await opened();
    await acknowledgeIncident(operator, { id, revision });
    await retryNode(operator, { runId, key: "a", reason });
    const whole = await loadTimeline(operator, { id });
    expect(new Set(whole.items.map(({ stream }) => stream))).toEqual(new Set(["error", "alert", "incident", "audit", "run"]));
    expect(whole.items.map(({ at }) => at.getTime())).toEqual(whole.items.map(({ at }) => at.getTime()).sort((a, b) => a - b));
    const paged: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await loadTimeline(operator, { id, limit: 2, ...(cursor ? { cursor } : {}) });
      paged.push(...page.items.map(({ key }) => key));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(whole.items.map(({ key }) => key));
  });

  it("is the list with what goes on first, page by page as in one (INC-1, B91)", async () => {
    const first = await opened("TEST_A_BROKEN_1");
    await resolveIncident(operator, { ...{ id: first.id, revision: first.revision }, reason });
    await opened("TEST_B_BROKEN_1");
    const third = await opened("TEST_C_BROKEN_1");
    await resolveIncident(operator, { ...{ id: third.id, revision: third.revision }, reason });
    const paged: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listIncidents(operator, { projectId: project.id, limit: 1, ...(cursor ? { cursor } : {}) });
      paged.push(...page.items.map(({ no }) => no));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual([2, 3, 1]);
  });
});
