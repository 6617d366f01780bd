import { asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { alertDeliveries, alerts } from "@/db/schema/alerts";
import { fires, schedules } from "@/db/schema/pipelines";
import { leases } from "@/db/schema/platform";
import { nodeRuns, runs } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser, recordingPorts, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { makeFence, makePipeline, makeWorker, startRun } from "@/db/testing/runs";
import { SHIPPED_POLICY } from "@/server/domain/alert/policy";
import { saveChannel } from "@/server/engine/channels/save-channel";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { claimReady } from "@/server/engine/runs/claim";
import { acknowledgeAlert, resolveAlert } from "./act-on-alert";
import { savePolicy } from "./policy";
import { watchLeader } from "./watch-leader";
import { createSilenceWatch } from "./watch-silence";

let database: TestDatabase;
let ctx: Ctx;
let fence: Fence;
let project: { id: string };
const MINUTE = 60_000;
const ago = (ms: number) => new Date(Date.now() - ms);

beforeAll(async () => {
  database = await openTestDatabase();
  ctx = testCtx(database.db);
  fence = await makeFence(ctx);
});
beforeEach(async () => {
  project = await makeProject(ctx);
  const access = { kind: "slack", url: "https://hooks.slack.example/x" } as const;
  await saveChannel(ctx, { projectId: project.id, name: "ops", access });
});
afterAll(() => database.close());

const found = () => ctx.db.select().from(alerts).where(eq(alerts.projectId, project.id)).orderBy(asc(alerts.no));
const checksOf = (row: { checks: { check: string; ok: boolean }[] | null } | undefined) => row?.checks?.map(({ check, ok }) => [check, ok]);
const outbox = () => ctx.db.$count(alertDeliveries, eq(alertDeliveries.projectId, project.id));

async function waitingSince(ms: number): Promise<string> {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
  await ctx.db
    .update(nodeRuns)
    .set({ queuedAt: ago(ms), readyAt: ago(ms) })
    .where(eq(nodeRuns.runId, runId));
  return group;
}

it("all workers of a group vanish at night: one alert about the silence within two minutes, with its cause; it ends when one is back (ALT-5, B55)", async () => {
  const group = await waitingSince(59_000);
  const look = createSilenceWatch();
  await look(ctx, fence);
  expect(await found()).toEqual([]);
  await ctx.db
    .update(nodeRuns)
    .set({ queuedAt: ago(61_000) })
    .where(eq(nodeRuns.workerGroup, group));
  for (let time = 0; time < 3; time++) await look(ctx, fence);
  const [alert, ...others] = await found();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({ kind: "silence", grade: "P1", code: "APOLLO_SILENT_GROUP_503", label: group, count: 1, notices: 1 });
  expect(checksOf(alert)).toEqual([
    ["a scheduler leads", true],
    ["nodes dispatched", true],
    ["queue age", false],
    ["group alive", false],
    ["workers take work", false],
    ["limit of the group", true],
    ["backlog", true],
  ]);
  expect(await outbox()).toBe(1);
  const operator = actingAs(ctx, await makeUser(ctx, project, "operator"));
  await expect(resolveAlert(operator, { id: alert?.id ?? "", reason: "x" })).rejects.toMatchObject({ code: "conflict" });
  await acknowledgeAlert(operator, { id: alert?.id ?? "" });
  await makeWorker(ctx, [group]);
  await look(ctx, fence);
  expect(await found()).toMatchObject([{ resolvedAs: "itself" }]);
});

it("a queue that only grows although workers live is an alert that names what fills it (ALT-5)", async () => {
  const group = await waitingSince(11 * MINUTE);
  await makeWorker(ctx, [group]);
  const look = createSilenceWatch();
  const grow = async () => {
    const runId = await startRun(ctx, await makePipeline(ctx, project, [node("a", [], { group })]));
    return runId;
  };
  for (let time = 0; time < 19; time++) await look(ctx, fence);
  expect(await found()).toEqual([]);
  await grow();
  await look(ctx, fence);
  const [alert] = await found();
  expect(alert).toMatchObject({ code: "APOLLO_SILENT_QUEUE_503", message: expect.stringContaining("1 → 2 nodes") });
  expect(alert?.checks?.find(({ check }) => check === "backlog")).toMatchObject({
    ok: false,
    evidence: expect.stringContaining("filled by p-"),
  });
});

it("a schedule that should have fired and did not, or whose last fire was missed, is one alert, not one a fire (ALT-5, B23)", async () => {
  const { pipelineId } = await makePipeline(ctx, project, [node("a")]);
  const base = {
    projectId: project.id,
    pipelineId,
    expression: "* * * * *",
    dialect: "vixie",
    timezone: "UTC",
    misfire: "latest",
    overlap: "skip",
  };
  const [late, missed, well] = [ctx.ids.uuid(), ctx.ids.uuid(), ctx.ids.uuid()];
  const soon = new Date(Date.now() + MINUTE);
  await ctx.db.insert(schedules).values([
    { ...base, id: late, name: "late", gap: "shift", fold: "first", nextFireAt: ago(MINUTE) },
    { ...base, id: missed, name: "missed", gap: "shift", fold: "first", nextFireAt: soon },
    { ...base, id: well, name: "well", gap: "shift", fold: "first", nextFireAt: soon },
  ]);
  const fire = (scheduleId: string, minutes: number, verdict: string) => ({
    ...{
      id: ctx.ids.uuid(),
      projectId: project.id,
      pipelineId,
      scheduleId,
      scheduleVersion: 1,
      fireAt: ago(minutes * MINUTE),
      verdict,
      epoch: 1,
    },
    reason: verdict === "missed" ? "no scheduler led" : null,
  });
  await ctx.db
    .insert(fires)
    .values([...Array.from({ length: 480 }, (_, each) => fire(missed, each + 1, "missed")), fire(well, 1, "ran"), fire(well, 2, "missed")]);
  const look = createSilenceWatch();
  for (let time = 0; time < 2; time++) await look(ctx, fence);
  const rows = await found();
  expect(rows.map(({ key, count }) => [key, count]).sort()).toEqual(
    [
      [`silence:schedule/${late}`, 1],
      [`silence:schedule/${missed}`, 1],
    ].sort(),
  );
  expect(checksOf(rows.find(({ key }) => key.includes(late)))).toEqual([
    ["schedule armed", true],
    ["a scheduler leads", true],
    ["fire written", false],
    ["last fire started a run", true],
  ]);
  expect(rows.find(({ key }) => key.includes(missed))?.checks?.at(-1)).toMatchObject({
    ok: false,
    evidence: expect.stringContaining("no scheduler led"),
  });
  await ctx.db.insert(fires).values({ ...fire(missed, 0, "ran"), fireAt: new Date() });
  await look(ctx, fence);
  expect((await found()).find(({ key }) => key.includes(missed))).toMatchObject({ resolvedAs: "itself" });
});

it("a long-running node without a line for four hours is stalled, whatever its failure rate; another class is not looked at (ALT-3)", async () => {
  const group = `g-${ctx.ids.randomHex(4)}`;
  const pipeline = await makePipeline(ctx, project, [node("a", [], { group })]);
  const runId = await startRun(ctx, pipeline);
  await claimReady(ctx, { worker: await makeWorker(ctx, [group]), groups: [group], limit: 1 });
  await ctx.db
    .update(nodeRuns)
    .set({ startedAt: ago(4 * 60 * MINUTE + 1) })
    .where(eq(nodeRuns.runId, runId));
  const look = createSilenceWatch();
  await look(ctx, fence);
  expect(await found()).toEqual([]);
  const classes = { [pipeline.pipelineId]: "long_running" } as const;
  await savePolicy(ctx, { projectId: project.id, revision: 0, policy: { ...SHIPPED_POLICY, classes } });
  await look(ctx, fence);
  expect(await found()).toMatchObject([{ code: "APOLLO_SILENT_NODE_504", runId, nodeKey: "a" }]);
  await ctx.db.update(runs).set({ state: "CANCELED" }).where(eq(runs.id, runId));
  await look(ctx, fence);
  expect(await found()).toMatchObject([{ resolvedAs: "itself" }]);
});

it("no scheduler leads: another process opens one alert a project and sends it; the next leader finds it over (ALT-5)", async () => {
  await ctx.db.update(leases).set({ expiresAt: ago(20_000) });
  expect(await watchLeader(ctx)).toEqual({ raised: 0, sent: 0 });
  await ctx.db.update(leases).set({ expiresAt: ago(31_000) });
  const sent: string[] = [];
  const http = {
    send: async ({ body }: { readonly body: string | null }) => {
      sent.push(body ?? "");
      return { status: 200, headers: {}, body: "ok", truncated: false, finalUrl: "" };
    },
  };
  const web = testCtx(database.db, { ports: { ...recordingPorts(), http } });
  await Promise.all([watchLeader(web), watchLeader(web)]);
  expect(await found()).toMatchObject([{ code: "APOLLO_SILENT_LEADER_503", grade: "P1", notices: 1, checks: [{ ok: false }] }]);
  expect(sent.filter((body) => body.includes("APOLLO_SILENT_LEADER_503") && body.includes(`#1 Silent: scheduler`)).length).toBeGreaterThan(
    0,
  );
  fence = await makeFence(ctx);
  await createSilenceWatch()(ctx, fence);
  expect(await found()).toMatchObject([{ resolvedAs: "itself" }]);
  expect(await watchLeader(web)).toEqual({ raised: 0, sent: 0 });
});
