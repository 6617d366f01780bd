import { and, desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alerts, silences } from "@/db/schema/alerts";
import { actionLinks } from "@/db/schema/links";
import { pipelines } from "@/db/schema/pipelines";
import { audit, workers } from "@/db/schema/platform";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { drive, eventsOf, type MadePipeline, makeFence, makePipeline, makeWorker, startRun, statesOf } from "@/db/testing/runs";
import { LINK_MS, type LinkAction, offeredLinks, requiredLink } from "@/server/domain/links/action";
import { decideNew } from "@/server/engine/alerts/decide-new";
import { saveChannel } from "@/server/engine/channels/save-channel";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { retryNode } from "@/server/engine/runs/retry-node";
import { loadLinkFacts, targetOf } from "./link-facts";
import { makeLink, offeredLinksOf } from "./make-link";
import { mintLinks } from "./mint-links";
import { openLink } from "./open-link";
import { pressLink } from "./press-link";

let database: TestDatabase;
let ctx: Ctx;
let project: { id: string };
let alice: Ctx;
let bob: Ctx;
let fence: Fence;
let pipeline: MadePipeline;
let runId = "";
let workerId = "";
let alertId = "";
let offsetMs = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db, { now: () => new Date(Date.now() + offsetMs), ports: recordingPorts() });
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  offsetMs = 0;
  project = await makeProject(ctx);
  alice = asked(actingAs(ctx, await makeUser(ctx, project, "operator")));
  bob = asked(actingAs(ctx, await makeUser(ctx, project, "operator")));
  const admin = actingAs(ctx, await makeUser(ctx, project, "admin"));
  await saveChannel(admin, {
    projectId: project.id,
    name: "ops",
    grade: "P3",
    access: { kind: "slack", url: "https://hooks.example.org/x" },
  });
  const group = `g-${ctx.ids.randomHex(4)}`;
  const first = node("first", [], { group });
  const last = node("last", ["broken"], { group });
  pipeline = await makePipeline(ctx, project, [first, node("broken", ["first"], { group, retry: { policy: "none" } }), last]);
  runId = await startRun(ctx, pipeline);
  const worker = await makeWorker(ctx, [group]);
  workerId = worker.id;
  await drive(ctx, worker, {
    groups: [group],
    end: ({ key }) => (key === "broken" ? { kind: "failed", code: "TEST_STEP_OOM_137", retryable: false } : { kind: "succeeded" }),
  });
  await decideNew(ctx, fence);
  const [alert] = await ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id));
  alertId = alert?.id ?? "";
});
afterAll(() => database.close());

/** Each request of a person has an id of its own. */
const asked = (who: Ctx): Ctx => ({ ...who, source: { ...who.source, id: ctx.ids.uuid() } });

/** The buttons of the alert, as its message to a channel carries them. */
async function buttons(user: { id: string; label: string } | null = null): Promise<Map<LinkAction, { token: string }>> {
  const [alert] = await ctx.db.select().from(alerts).where(eq(alerts.id, alertId));
  if (!alert) throw new Error("there is no alert");
  const target = await targetOf(ctx.db, alert);
  const facts = await loadLinkFacts(ctx.db, alertId, target);
  const actions = offeredLinks(facts, requiredLink(alert.actionRequired));
  const maker = { kind: "channel", label: "ops" } as const;
  const links = await mintLinks(ctx, ctx.db, { projectId: project.id, alertId, target, facts, actions, maker, user });
  return new Map(links.map(({ action, path }) => [action, { token: path.replace("/link/", "") }]));
}

async function button(action: LinkAction, user: { id: string; label: string } | null = null): Promise<{ token: string }> {
  const link = (await buttons(user)).get(action);
  if (!link) throw new Error(`no button for ${action}`);
  return link;
}

const auditOf = (verb: string) =>
  ctx.db
    .select()
    .from(audit)
    .where(and(eq(audit.verb, verb), eq(audit.projectId, project.id)))
    .orderBy(desc(audit.seq));
const retries = async () => (await eventsOf(ctx, runId)).filter(({ event }) => event === "retryRequested").length;
const labelOf = (who: Ctx) => (who.principal.kind === "user" ? who.principal.label : "");
const idOf = (who: Ctx) => (who.principal.kind === "user" ? who.principal.id : "");

describe("a link", () => {
  it("tells first what it will do, what is reused and what starts, and does nothing by being opened (ALT-6)", async () => {
    const link = await button("retry_node");
    const before = await statesOf(ctx, runId);
    const view = await openLink(alice, link);
    expect(view).toMatchObject({ action: "retry_node", refusal: null, forbidden: false, maker: { kind: "channel", label: "ops" } });
    expect(view.effect).toMatchObject({ kind: "node", runs: ["broken", "last"], reused: ["first"], again: [] });
    expect(view.expiresAt.getTime() - view.madeAt.getTime()).toBe(15 * 60_000);
    expect(await statesOf(ctx, runId)).toEqual(before);
    expect(await retries()).toBe(0);
  });

  it("acts once, with one audit row that names its person and the alert, in the commit that takes the link (ALT-6, AUD-2)", async () => {
    const link = await button("retry_node");
    expect(await pressLink(alice, link)).toEqual({ action: "retry_node", alertId, runId });
    expect((await statesOf(ctx, runId)).broken).toBe("QUEUED");
    expect(await auditOf("run.retryNode")).toMatchObject([
      { actorLabel: labelOf(alice), reason: "by the button of alert #1, told by ops" },
    ]);
    const refused = pressLink(asked(alice), link);
    await expect(refused).rejects.toMatchObject({ code: "stale", details: { refusal: { reason: "used", by: labelOf(alice) }, runId } });
    expect(await retries()).toBe(1);
    expect(await auditOf("run.retryNode")).toHaveLength(1);
  });

  it("that two people press at once acts once, and tells the other who was faster (ALT-6)", async () => {
    const link = await button("mute");
    const presses = [alice, bob, alice, bob, alice, bob].map((who) => pressLink(asked(who), link));
    const answers = await Promise.allSettled(presses);
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "stale", details: { refusal: { reason: "used" } } });
    }
    expect(await ctx.db.select().from(silences).where(eq(silences.projectId, project.id))).toHaveLength(1);
    expect(await auditOf("silence.create")).toHaveLength(1);
  });

  it("is not spent by a deed that fails (ALT-6)", async () => {
    const link = await button("mute");
    await database.sql`create function refuse_silence() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`;
    await database.sql`create trigger refuse_silence before insert on silences for each row execute function refuse_silence()`;
    await expect(pressLink(alice, link)).rejects.toThrow();
    await database.sql`drop trigger refuse_silence on silences`;
    await pressLink(asked(alice), link);
    expect(await auditOf("silence.create")).toHaveLength(1);
  });

  it("is refused when its 15 minutes are over (ALT-6)", async () => {
    const link = await button("acknowledge");
    offsetMs = LINK_MS + 1_000;
    await expect(pressLink(alice, link)).rejects.toMatchObject({ code: "stale", details: { refusal: { reason: "expired" } } });
    expect((await openLink(asked(alice), link)).refusal).toMatchObject({ reason: "expired" });
  });

  it("is refused when its node has moved, says from what to what, and leads to the run (ALT-6)", async () => {
    const link = await button("skip_node");
    await retryNode(bob, { runId, key: "broken", reason: "a test" });
    await expect(pressLink(alice, link)).rejects.toMatchObject({ details: { refusal: { reason: "moved", now: "QUEUED" }, runId } });
    const view = await openLink(asked(alice), link);
    expect(view).toMatchObject({ refusal: { reason: "moved", now: "QUEUED" }, effect: null, target: { runId } });
    expect((await statesOf(ctx, runId)).broken).toBe("QUEUED");
  });

  it("of a chat becomes the link of the first who opens it, and another is told whose it is (ALT-6)", async () => {
    const link = await button("acknowledge");
    await openLink(alice, link);
    expect((await openLink(asked(bob), link)).refusal).toEqual({ reason: "anothers", by: labelOf(alice) });
    await expect(pressLink(asked(bob), link)).rejects.toMatchObject({ details: { refusal: { reason: "anothers" } } });
    await pressLink(asked(alice), link);
    expect(await auditOf("link.open")).toHaveLength(1);
  });

  it("that was sent to one person is nobody else's from the start (ALT-6)", async () => {
    const link = await button("acknowledge", { id: idOf(alice), label: labelOf(alice) });
    await expect(pressLink(bob, link)).rejects.toMatchObject({ details: { refusal: { reason: "anothers", by: labelOf(alice) } } });
    await pressLink(asked(alice), link);
  });

  it("does nothing for who may not: a viewer, a stranger, nobody, and an operator at a worker (AUD-1)", async () => {
    const links = await buttons();
    const mute = links.get("mute") ?? { token: "" };
    const viewer = actingAs(ctx, await makeUser(ctx, project, "viewer"));
    await expect(pressLink(viewer, mute)).rejects.toMatchObject({ code: "forbidden" });
    await expect(openLink(viewer, mute)).rejects.toMatchObject({ code: "forbidden" });
    const stranger = actingAs(ctx, await makeUser(ctx, await makeProject(ctx), "admin"));
    await expect(pressLink(stranger, mute)).rejects.toMatchObject({ code: "not_found" });
    await expect(openLink({ ...ctx, principal: { kind: "anonymous" } }, mute)).rejects.toMatchObject({ code: "unauthenticated" });
    const drain = links.get("drain_worker") ?? { token: "" };
    await expect(pressLink(alice, drain)).rejects.toMatchObject({ code: "forbidden" });
    expect(await openLink(asked(alice), drain)).toMatchObject({ forbidden: true, refusal: null });
  });

  it("starts nothing of a pipeline that was put away (ALT-6)", async () => {
    const link = await button("retry_node");
    await ctx.db.update(pipelines).set({ archivedAt: ctx.clock.now() }).where(eq(pipelines.id, pipeline.pipelineId));
    await expect(pressLink(alice, link)).rejects.toMatchObject({ details: { refusal: { reason: "archived" } } });
  });

  it("is known by what is kept of it, which cannot be used (SEC-1)", async () => {
    const { token } = await button("mute");
    const rows = await ctx.db.select().from(actionLinks).where(eq(actionLinks.alertId, alertId));
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe("the buttons of an alert", () => {
  it("begin with what its P0 rule says is to be done, and the worker is drained by one press of an administrator (ALT-1)", async () => {
    const offered = await offeredLinksOf(alice, { alertId });
    expect(offered).toMatchObject({ required: "drain_worker" });
    expect(offered.actions[0]).toBe("drain_worker");
    const admin = actingAs(ctx, await makeUser(ctx, project, "administrator"));
    const { path } = await makeLink(admin, { alertId, action: "drain_worker" });
    await pressLink(asked(admin), { token: path.replace("/link/", "") });
    expect(await ctx.db.select({ draining: workers.draining }).from(workers).where(eq(workers.id, workerId))).toEqual([{ draining: true }]);
  });

  it.each([
    ["acknowledge", "alert.acknowledge"],
    ["skip_node", "run.skipNode"],
    ["cancel_run", "run.cancel"],
    ["pause_pipeline", "pipeline.disable"],
  ] as const)("%s: one press, one audit row %s (ALT-6)", async (action, verb) => {
    await pressLink(alice, await button(action));
    expect(await auditOf(verb)).toMatchObject([{ actorLabel: labelOf(alice) }]);
  });

  it("that are not possible any more are not made (ALT-6)", async () => {
    await pressLink(alice, await button("acknowledge"));
    await expect(makeLink(asked(alice), { alertId, action: "acknowledge" })).rejects.toMatchObject({ code: "stale" });
    expect((await offeredLinksOf(alice, { alertId })).actions).not.toContain("acknowledge");
  });
});
