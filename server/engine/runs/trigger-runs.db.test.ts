import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { audit } from "@/db/schema/platform";
import { runEvents, runs } from "@/db/schema/runs";
import { actingAs, makeProject, makeUser } from "@/db/testing/ctx";
import { openFailpoint } from "@/db/testing/failpoint";
import { node } from "@/db/testing/plans";
import { makePipeline } from "@/db/testing/runs";
import { openScene, type Scene } from "@/db/testing/scene";
import { verifyAudit } from "@/server/engine/audit/verify-audit";
import type { Ctx } from "@/server/engine/context";
import { triggerRun } from "./trigger-run";
import { MAX_TRIGGERED, triggerRuns } from "./trigger-runs";

let { database, project, root, ctx } = {} as Scene;
beforeAll(async () => {
  ({ database, project, root, ctx } = await openScene("operator"));
});
afterAll(() => database.close());

const wish = (pipeline: string, more: { idempotencyKey?: string; params?: unknown } = {}) =>
  ({ projectId: project.id, pipeline, kind: "api", ...more }) as const;

it("starts many in one commit, and refuses one without keeping the others back (RUN-1, ECO-1)", async () => {
  const { name } = await makePipeline(root, project, [node("a")], { params: { day: { type: "string", default: "" } } });
  const off = await makePipeline(root, project, [node("a")]);
  await root.db.update(pipelines).set({ enabled: false }).where(eq(pipelines.id, off.pipelineId));
  const outcomes = await triggerRuns(ctx, [
    wish(name, { params: { day: "1" } }),
    wish("nowhere"),
    wish(name, { params: { night: "1" } }),
    wish(off.name),
    wish(name, { params: { day: "2" } }),
  ]);
  expect(outcomes.map((each) => (each.kind === "triggered" ? each.run.state : each.error.code))).toEqual([
    "RUNNING",
    "not_found",
    "invalid_input",
    "unprocessable",
    "RUNNING",
  ]);
  const ids = outcomes.flatMap((each) => (each.kind === "triggered" ? [each.run.id] : []));
  const rows = await root.db.select({ id: runs.id, params: runs.params }).from(runs).where(inArray(runs.id, ids));
  expect(rows.map(({ params }) => params.day).sort()).toEqual(["1", "2"]);
  const transactions = await root.db.selectDistinct({ id: sql<string>`xmin::text` }).from(runs).where(inArray(runs.id, ids));
  expect(transactions.length).toBe(1);
});

it("writes one audit row for each run that it starts, in one unbroken chain (AUD-2)", async () => {
  const { name } = await makePipeline(root, project, [node("a")]);
  const outcomes = await triggerRuns(
    ctx,
    Array.from({ length: 20 }, () => wish(name)),
  );
  const ids = outcomes.flatMap((each) => (each.kind === "triggered" ? [each.run.id] : []));
  const rows = await root.db.select().from(audit).where(inArray(audit.objectId, ids));
  expect(rows.map((row) => row.objectId).sort()).toEqual([...ids].sort());
  expect(new Set(rows.map((row) => row.seq)).size).toBe(20);
  expect(await verifyAudit(root, { projectId: project.id })).toMatchObject({ kind: "intact", rows: expect.any(Number) });
});

it("starts exactly one run for each of fifty single wishes at once, each with its own event, audit row and starter (RUN-1, AUD-2)", async () => {
  const { name } = await makePipeline(root, project, [node("a")]);
  const people = await Promise.all([1, 2].map(() => makeUser(root, project, "operator")));
  const started = await Promise.all(
    Array.from({ length: 50 }, (_, n) => triggerRun(actingAs(root, people[n % 2] ?? ctx.principal), wish(name))),
  );
  const ids = started.map(({ id }) => id);
  expect(new Set(ids).size).toBe(50);
  const rows = await root.db.select().from(audit).where(inArray(audit.objectId, ids));
  expect(rows.length).toBe(50);
  const starters = new Map(rows.map((row) => [row.objectId, row.actorId]));
  for (const [n, id] of ids.entries()) expect(starters.get(id)).toBe((people[n % 2] as { id: string }).id);
  const created = await root.db.select({ event: runEvents.event }).from(runEvents).where(inArray(runEvents.runId, ids));
  expect(created.filter(({ event }) => event === "run.created").length).toBe(50);
});

it("answers single wishes at once one by one: a refused one harms no other, a repeated key is one run (ECO-1, B44)", async () => {
  const { name } = await makePipeline(root, project, [node("a")]);
  const wishes = [wish(name), wish("nowhere"), wish(name, { idempotencyKey: "same" }), wish(name, { idempotencyKey: "same" }), wish(name)];
  const answers = await Promise.allSettled(wishes.map((each) => triggerRun(ctx, each)));
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"]);
  const [first, , second, third, fourth] = answers.map((each) => (each.status === "fulfilled" ? each.value : null));
  expect([second?.repeated, third?.repeated]).toEqual([false, true]);
  expect(third?.id).toBe(second?.id);
  expect(new Set([first?.id, second?.id, fourth?.id]).size).toBe(3);
});

it("starts the others when one wish breaks the transaction of all (RUN-1)", async () => {
  const { name } = await makePipeline(root, project, [node("a")]);
  const broken: Ctx = { ...ctx, ids: { ...ctx.ids, uuid: () => "no id at all" } };
  const answers = await Promise.allSettled([triggerRun(ctx, wish(name)), triggerRun(broken, wish(name)), triggerRun(ctx, wish(name))]);
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

it("starts none of them twice where the line is lost in the middle of their commit: each is told (RUN-1, IDM-4)", async () => {
  const { name, pipelineId } = await makePipeline(root, project, [node("a")]);
  const point = await openFailpoint(database.url);
  const client = connect({ url: point.url, max: 1, applicationName: "test" });
  const dying: Ctx = { ...ctx, db: client.db };
  const seen = new Set<number>();
  for (let statement = 1, died = true; died; statement++) {
    await client.sql`select 1`;
    const before = await root.db.$count(runs, eq(runs.pipelineId, pipelineId));
    point.arm({ statement, side: "after" });
    const answers = await Promise.allSettled([1, 2, 3].map(() => triggerRun(dying, wish(name))));
    ({ died } = point.disarm());
    const made = (await root.db.$count(runs, eq(runs.pipelineId, pipelineId))) - before;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([died ? "rejected" : "fulfilled"]));
    expect([0, 3]).toContain(made);
    if (died) seen.add(made);
  }
  expect(seen).toEqual(new Set([0, 3]));
  await client.close();
  await point.close();
});

it("refuses too many, two projects, and a key that comes twice, before anything is started (ECO-1)", async () => {
  const { name, pipelineId } = await makePipeline(root, project, [node("a")]);
  const many = Array.from({ length: MAX_TRIGGERED + 1 }, () => wish(name));
  await expect(triggerRuns(ctx, many)).rejects.toMatchObject({ code: "invalid_input" });
  const other = await makeProject(root);
  await expect(triggerRuns(root, [wish(name), { ...wish(name), projectId: other.id }])).rejects.toMatchObject({ code: "invalid_input" });
  const twice = [wish(name, { idempotencyKey: "k" }), wish(name, { idempotencyKey: "k" })];
  await expect(triggerRuns(ctx, twice)).rejects.toMatchObject({ code: "invalid_input" });
  const viewer = actingAs(root, await makeUser(root, project, "viewer"));
  await expect(triggerRuns(viewer, [wish(name)])).rejects.toMatchObject({ code: "forbidden" });
  expect(await root.db.select().from(runs).where(eq(runs.pipelineId, pipelineId))).toEqual([]);
});
