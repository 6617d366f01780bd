import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pipelines, pipelineVersions, schedules } from "@/db/schema/pipelines";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { node } from "@/db/testing/plans";
import { eventsOf, makePipeline, runOf, startRun } from "@/db/testing/runs";
import type { PipelineDefinitionInput } from "@/server/domain/pipeline/definition";
import { listAudit } from "@/server/engine/audit/list-audit";
import { verifyAudit } from "@/server/engine/audit/verify-audit";
import type { Ctx } from "@/server/engine/context";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import { pauseRun } from "@/server/engine/runs/pause-run";
import { retryNode } from "@/server/engine/runs/retry-node";
import { applyDefinition } from "./apply-definition";
import { createPipeline } from "./create-pipeline";
import { deletePipeline } from "./delete-pipeline";
import { discardDraft } from "./discard-draft";
import { listPipelines } from "./list-pipelines";
import { loadDraft } from "./load-draft";
import { loadPipeline, loadPipelineByName, yamlOf } from "./load-pipeline";
import { previewStop } from "./preview-stop";
import { publish } from "./publish";
import { renamePipeline } from "./rename-pipeline";
import { saveDraft } from "./save-draft";
import { setPipelineArchived } from "./set-archived";
import { setPipelineEnabled } from "./set-enabled";
import { diffVersions, listVersions, loadVersion } from "./versions";

let database: TestDatabase;
let world: Ctx;
let ctx: Ctx;
let projectId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  world = testCtx(database.db);
});
beforeEach(async () => {
  const project = await makeProject(world);
  projectId = project.id;
  ctx = actingAs(world, await makeUser(world, project, "editor"));
});
afterAll(() => database.close());

type Change = (definition: PipelineDefinitionInput) => void;
function orders(name = "orders", change: Change = () => {}): PipelineDefinitionInput {
  const definition: PipelineDefinitionInput = {
    apiVersion: "apollo11/v1",
    kind: "Pipeline",
    metadata: { name, title: "Daily orders", owner: "data-team", labels: { tier: "core" } },
    spec: {
      domain: "ORDER",
      schedules: [{ name: "nightly", cron: "0 2 * * *", timezone: "Asia/Shanghai" }],
      nodes: [
        { key: "pull", type: "wait", with: { for: "1s" }, reads: ["api:orders"] },
        { key: "load", type: "wait", needs: ["pull"], with: { for: "1s" }, writes: ["table:orders"], idempotent: true },
      ],
    },
  };
  change(definition);
  return definition;
}
const apply = (definition: PipelineDefinitionInput, more: object = {}) =>
  applyDefinition(ctx, { projectId, name: definition.metadata.name, source: { kind: "value", value: definition }, ...more });
const audited = async (verb: string) => (await listAudit(ctx, { projectId, verb })).items;

describe("applying a definition", () => {
  it("creates, makes a new version, and changes nothing when it is the same (PIP-1, PIP-7)", async () => {
    expect(await apply(orders())).toMatchObject({ outcome: "created", version: 1, diff: null });
    expect(await apply(orders())).toMatchObject({ outcome: "unchanged", version: 1 });
    const changed = await apply(
      orders("orders", (d) => d.spec.nodes?.push({ key: "report", type: "wait", needs: ["load"], with: { for: "2s" } })),
    );
    expect(changed).toMatchObject({ outcome: "published", version: 2, diff: { added: ["report"], removed: [], changed: [] } });
    expect((await audited("pipeline.apply")).map(({ after }) => after)).toMatchObject([
      { version: 2, changes: { added: ["report"] } },
      { version: 1 },
    ]);
    expect(await verifyAudit(ctx, { projectId })).toMatchObject({ kind: "intact" });
  });

  it("takes YAML and gives YAML that applies as the same version (PIP-7)", async () => {
    await apply(orders());
    const text = yamlOf(await loadPipelineByName(ctx, { projectId, name: "orders" }));
    if (!text) throw new Error("no YAML");
    expect(text).toContain("cron: 0 2 * * *");
    expect(await applyDefinition(ctx, { projectId, name: "orders", source: { kind: "text", text } })).toMatchObject({
      outcome: "unchanged",
      version: 1,
    });
  });

  it("a dry run tells the diff and leaves nothing behind (PIP-7)", async () => {
    expect(await apply(orders(), { dryRun: true })).toMatchObject({ outcome: "created", pipelineId: null, version: 1, dryRun: true });
    expect((await listPipelines(ctx, { projectId })).items).toEqual([]);
    await apply(orders());
    const changed = orders("orders", (d) => (d.spec.domain = "SHOP"));
    expect(await apply(changed, { dryRun: true })).toMatchObject({
      outcome: "published",
      version: 2,
      diff: { settings: [{ path: "spec.domain" }] },
    });
    expect(await apply(orders(), { dryRun: true })).toMatchObject({ outcome: "unchanged", version: 1 });
    expect(await audited("pipeline")).toHaveLength(1);
  });

  it("refuses what is wrong with its place, and keeps nothing of it (SEC-3)", async () => {
    const wrong = orders("orders", (d) => {
      d.spec.schedules = [{ name: "never", cron: "0 0 31 2 *", timezone: "Mars/Base" }];
      d.spec.nodes = [
        { key: "a", type: "wait", needs: ["b"], with: { for: "1s" } },
        { key: "b", type: "wait", needs: ["a"], with: { for: "1s" } },
      ];
    });
    await expect(apply(wrong)).rejects.toMatchObject({
      code: "invalid_input",
      issues: expect.arrayContaining([
        expect.objectContaining({ code: "cycle" }),
        expect.objectContaining({ path: "spec.schedules[0].cron" }),
        expect.objectContaining({ path: "spec.schedules[0].timezone", code: "unknown_zone" }),
      ]),
    });
    await expect(applyDefinition(ctx, { projectId, name: "other", source: { kind: "value", value: orders() } })).rejects.toMatchObject({
      issues: [expect.objectContaining({ path: "metadata.name" })],
    });
    expect(await ctx.db.select().from(pipelines).where(eq(pipelines.projectId, projectId))).toEqual([]);
    expect(await audited("pipeline")).toEqual([]);
  });

  it("ten at once make one pipeline and one version (IDM-4)", async () => {
    const applied = await Promise.all(Array.from({ length: 10 }, () => apply(orders())));
    expect(applied.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
    expect(new Set(applied.map(({ version }) => version))).toEqual(new Set([1]));
    expect(await audited("pipeline")).toHaveLength(1);
  });

  it("versions never change, and the schedules follow the live one (PIP-1, SCH-1)", async () => {
    const { pipelineId } = await apply(orders());
    await expect(database.sql`update pipeline_versions set message = 'x'`).rejects.toThrow("append-only");
    await apply(orders("orders", (d) => (d.spec.schedules = [{ name: "noon", cron: "0 12 * * *", timezone: "UTC" }])));
    const rows = await ctx.db
      .select()
      .from(schedules)
      .where(eq(schedules.pipelineId, pipelineId ?? ""));
    expect(rows.map(({ name, removedAt }) => [name, removedAt === null]).sort()).toEqual([
      ["nightly", false],
      ["noon", true],
    ]);
  });

  it("a pipeline that git manages is read-only in the console, and says so (PIP-7)", async () => {
    const { pipelineId } = await apply(orders(), { managedBy: "git" });
    const place = { projectId, pipelineId: pipelineId ?? "" };
    const draft = await loadDraft(ctx, place);
    expect(draft.managedBy).toBe("git");
    await expect(saveDraft(ctx, { ...place, revision: draft.revision, definition: draft.definition })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("managed from git"),
    });
    expect(await apply(orders(), { managedBy: "console" })).toMatchObject({ outcome: "published", version: 1 });
    await saveDraft(ctx, { ...place, revision: draft.revision, definition: draft.definition });
  });
});

describe("a draft", () => {
  const drawn = async () => {
    const made = await createPipeline(ctx, { projectId, name: "drawn", title: "Drawn 画" });
    const place = { projectId, pipelineId: made.pipelineId };
    return { place, draft: await loadDraft(ctx, place) };
  };

  it("is saved unfinished, and a stale save is refused with who and when: nothing is overwritten (B86, PIP-4)", async () => {
    const { place, draft } = await drawn();
    const other = actingAs(world, await makeUser(world, { id: projectId }, "editor"));
    const unfinished = { ...draft.definition, spec: { ...draft.definition.spec, nodes: [{ key: "a", type: "http", with: { url: "" } }] } };
    const saved = await saveDraft(other, { ...place, revision: draft.revision, definition: unfinished, layout: { a: { x: 1, y: 2 } } });
    expect(saved.revision).toBe(draft.revision + 1);
    await expect(saveDraft(ctx, { ...place, revision: draft.revision, definition: draft.definition })).rejects.toMatchObject({
      code: "stale",
      details: {
        revision: saved.revision,
        seenRevision: draft.revision,
        savedBy: expect.stringContaining("editor-"),
        savedAt: saved.savedAt,
      },
    });
    const now = await loadDraft(ctx, place);
    expect(now.definition.spec.nodes).toHaveLength(1);
    expect(now).toMatchObject({ layout: { a: { x: 1, y: 2 } }, differsFromLive: true, liveVersionNo: null });
  });

  it("knows no conflict from anything but edits of it: applies, switches and runs leave its revision alone (B87)", async () => {
    const { pipelineId } = await apply(orders());
    const place = { projectId, pipelineId: pipelineId ?? "" };
    const draft = await loadDraft(ctx, place);
    const { revision } = await saveDraft(ctx, { ...place, revision: draft.revision, definition: draft.definition });
    await setPipelineEnabled(ctx, { ...place, enabled: false });
    await setPipelineEnabled(ctx, { ...place, enabled: true });
    await apply(orders("orders", (d) => (d.spec.domain = "SHOP")));
    expect(await saveDraft(ctx, { ...place, revision, definition: draft.definition })).toMatchObject({ revision: revision + 1 });
    expect(await loadDraft(ctx, place)).toMatchObject({ baseVersionNo: 1, liveVersionNo: 2, differsFromLive: true });
  });

  it("goes live by publish, as a version with its layout, and then differs no more (PIP-1)", async () => {
    const { place, draft } = await drawn();
    const nodes = [{ key: "a", type: "wait" as const, with: { for: "1s" } }];
    const definition = { ...draft.definition, spec: { ...draft.definition.spec, nodes } };
    const { revision } = await saveDraft(ctx, { ...place, revision: draft.revision, definition, layout: { a: { x: 3, y: 4 } } });
    await expect(publish(ctx, { ...place, revision: draft.revision })).rejects.toMatchObject({ code: "stale" });
    expect(await publish(ctx, { ...place, revision, message: "first" })).toEqual({ versionNo: 1, unchanged: false, poolsMade: [] });
    expect(await loadDraft(ctx, place)).toMatchObject({
      differsFromLive: false,
      revision,
      liveVersionNo: 1,
      layout: { a: { x: 3, y: 4 } },
    });
    await expect(publish(ctx, { ...place, revision })).rejects.toMatchObject({ code: "conflict" });
    expect(await loadVersion(ctx, { ...place, no: 1 })).toMatchObject({ message: "first", isLive: true, layout: { a: { x: 3, y: 4 } } });
    expect(await audited("pipeline.publish")).toMatchObject([{ before: null, after: { version: 1, message: "first" } }]);
  });

  it("with anything wrong is not published: every issue is named with its node (PIP-6)", async () => {
    const { place, draft } = await drawn();
    const nodes = [{ key: "a", type: "http", with: { url: "http://x.example/{{ nodes.ghost.output }}" } }];
    const definition = { ...draft.definition, spec: { ...draft.definition.spec, nodes } };
    const { revision } = await saveDraft(ctx, { ...place, revision: draft.revision, definition });
    await expect(publish(ctx, { ...place, revision })).rejects.toMatchObject({
      code: "invalid_input",
      issues: [expect.objectContaining({ path: "spec.nodes[0].with.url", code: "missing_reference" })],
    });
    expect(await ctx.db.select().from(pipelineVersions).where(eq(pipelineVersions.pipelineId, place.pipelineId))).toEqual([]);
  });

  it("is discarded back to what is live, and never where nothing is (PIP-4)", async () => {
    const { place, draft } = await drawn();
    await expect(discardDraft(ctx, { ...place, revision: draft.revision })).rejects.toMatchObject({ code: "conflict" });
    const { pipelineId } = await apply(orders());
    const live = { projectId, pipelineId: pipelineId ?? "" };
    const { revision } = await saveDraft(ctx, {
      ...live,
      revision: 0,
      definition: { ...(await loadDraft(ctx, live)).definition, spec: { ...draft.definition.spec } },
    });
    await discardDraft(ctx, { ...live, revision });
    expect(await loadDraft(ctx, live)).toMatchObject({ differsFromLive: false, revision: revision + 1 });
  });
});

describe("the inventory", () => {
  it("says of each pipeline what is live, when it fires, and what it touches (INV-1)", async () => {
    await apply(orders());
    const { items } = await listPipelines(ctx, { projectId });
    expect(items).toMatchObject([
      {
        name: "orders",
        title: "Daily orders",
        owner: "data-team",
        liveVersionNo: 1,
        draftDiffers: false,
        reads: ["api:orders"],
        writes: ["table:orders"],
        nodeCount: 2,
        idempotentCount: 1,
        lastRun: null,
        recentRuns: [],
        schedules: [{ name: "nightly", expression: "0 2 * * *", timezone: "Asia/Shanghai", enabled: true, health: "OK" }],
      },
    ]);
    expect(items[0]?.nextFireAt).toEqual(items[0]?.schedules[0]?.nextFireAt);
    expect(items[0]?.nextFireAt).toBeInstanceOf(Date);
  });

  it("answers what touches a table, and finds by title, owner and label, whatever is typed (INV-2)", async () => {
    await apply(orders());
    const zinc = orders("zinc", (d) => {
      d.metadata = { name: "zinc", title: "100% 商品 _x", owner: "ops" };
      d.spec.nodes = [{ key: "n", type: "wait", with: { for: "1s" } }];
    });
    await apply(zinc);
    const found = async (search: string) => (await listPipelines(ctx, { projectId, search })).items.map(({ name }) => name);
    expect(await found("table:orders")).toEqual(["orders"]);
    expect(await found("ORDERS")).toEqual(["orders"]);
    expect(await found("core")).toEqual(["orders"]);
    expect(await found("商品")).toEqual(["zinc"]);
    expect(await found("100%")).toEqual(["zinc"]);
    expect(await found("%")).toEqual(["zinc"]);
    expect(await found("_x")).toEqual(["zinc"]);
    expect(await found("'; drop table pipelines; --")).toEqual([]);
    expect(await found("\\")).toEqual([]);
  });

  it("pages by name and keeps projects apart (B91, AUD-1)", async () => {
    const other = await makeProject(world);
    await applyDefinition(world, { projectId: other.id, name: "alien", source: { kind: "value", value: orders("alien") } });
    for (const name of ["a", "b", "c", "d", "e"]) await apply(orders(name));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listPipelines(ctx, { projectId, limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(seen).toEqual(["a", "b", "c", "d", "e"]);
    await expect(listPipelines(ctx, { projectId: other.id })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the end of a pipeline", () => {
  it("a deleted one is gone with its schedules, its history stays, and its name is free again (PIP-9, B76)", async () => {
    const { pipelineId } = await apply(orders());
    const place = { projectId, pipelineId: pipelineId ?? "" };
    expect(await previewStop(ctx, place)).toMatchObject({ liveRuns: [], schedules: [{ name: "nightly" }] });
    await deletePipeline(ctx, { ...place, reason: "replaced" });
    await expect(loadPipeline(ctx, place)).rejects.toMatchObject({ code: "not_found" });
    await expect(deletePipeline(ctx, { ...place, reason: "again" })).rejects.toMatchObject({ code: "not_found" });
    const left = await ctx.db
      .select()
      .from(schedules)
      .where(and(eq(schedules.pipelineId, place.pipelineId)));
    expect(left.every(({ removedAt, nextFireAt }) => removedAt !== null && nextFireAt === null)).toBe(true);
    expect(await ctx.db.select().from(pipelineVersions).where(eq(pipelineVersions.pipelineId, place.pipelineId))).toHaveLength(1);
    expect(await apply(orders())).toMatchObject({ outcome: "created", version: 1 });
    expect(await audited("pipeline.delete")).toMatchObject([{ reason: "replaced", before: { name: "orders", version: 1 } }]);
  });

  it("an archived one leaves the list, stays readable, and comes back disabled (PIP-9)", async () => {
    const { pipelineId } = await apply(orders());
    const place = { projectId, pipelineId: pipelineId ?? "" };
    await setPipelineArchived(ctx, { ...place, archived: true });
    expect((await listPipelines(ctx, { projectId })).items).toEqual([]);
    expect((await listPipelines(ctx, { projectId, archived: true })).items).toMatchObject([{ name: "orders", nextFireAt: null }]);
    expect(await loadPipeline(ctx, place)).toMatchObject({ enabled: false, live: { no: 1 } });
    await expect(setPipelineEnabled(ctx, { ...place, enabled: true })).rejects.toMatchObject({ code: "conflict" });
    await setPipelineArchived(ctx, { ...place, archived: false });
    expect(await loadPipeline(ctx, place)).toMatchObject({ enabled: false, archivedAt: null });
  });

  it("a delete and an archive cancel what waits for its turn, once and with their reason, and leave what runs (PIP-9, B76)", async () => {
    for (const [before, end] of (["delete", "archive"] as const).entries()) {
      const made = await makePipeline(world, { id: projectId }, [node("a")], { concurrency: 1 });
      const place = { projectId, pipelineId: made.pipelineId };
      const ids = [await startRun(world, made), await startRun(world, made), await startRun(world, made)];
      await pauseRun(ctx, { runId: ids[2] ?? "", reason: "hold" });
      if (end === "delete") await deletePipeline(ctx, { ...place, reason: "replaced" });
      else await setPipelineArchived(ctx, { ...place, archived: true, reason: "replaced" });
      expect(await Promise.all(ids.map(async (id) => (await runOf(ctx, id)).state))).toEqual(["RUNNING", "CANCELED", "CANCELED"]);
      expect((await eventsOf(ctx, ids[1] ?? "")).find(({ event }) => event === "run.cancelRequested")).toMatchObject({ cause: "replaced" });
      expect(await audited(`pipeline.${end}`)).toMatchObject([{ after: { canceledRuns: 2 } }]);
      expect(await audited("run.cancel")).toHaveLength(before);
      await cancelRun(ctx, { runId: ids[0] ?? "", reason: "stop" });
      const retry = retryNode(ctx, { runId: ids[1] ?? "", key: "a", reason: "again" });
      await expect(retry).rejects.toMatchObject({ code: "unprocessable", message: expect.stringContaining(end) });
      expect((await runOf(ctx, ids[1] ?? "")).state).toBe("CANCELED");
    }
  });

  it("a disabled one holds what waits for its turn, and gives it when it is enabled again (PIP-9)", async () => {
    const made = await makePipeline(world, { id: projectId }, [node("a")], { concurrency: 1 });
    const place = { projectId, pipelineId: made.pipelineId };
    const [first, second] = [await startRun(world, made), await startRun(world, made)];
    expect(await previewStop(ctx, place)).toMatchObject({ liveRuns: [{ id: first, state: "RUNNING" }], waitingRuns: 1 });
    await setPipelineEnabled(ctx, { ...place, enabled: false });
    await cancelRun(ctx, { runId: first, reason: "stop" });
    expect((await runOf(ctx, second)).state).toBe("PENDING");
    await setPipelineEnabled(ctx, { ...place, enabled: true });
    expect((await runOf(ctx, second)).state).toBe("RUNNING");
  });

  it("a rename is a version that differs in the title alone, and an open draft follows (PIP-9)", async () => {
    const { pipelineId } = await apply(orders());
    const place = { projectId, pipelineId: pipelineId ?? "" };
    const draft = await loadDraft(ctx, place);
    await saveDraft(ctx, { ...place, revision: draft.revision, definition: draft.definition });
    expect(await renamePipeline(ctx, { ...place, title: "Orders, nightly" })).toMatchObject({ versionNo: 2 });
    expect(await diffVersions(ctx, { ...place, from: 1, to: "live" })).toMatchObject({
      settings: [{ path: "metadata.title", after: "Orders, nightly" }],
      changed: [],
    });
    expect((await loadDraft(ctx, place)).differsFromLive).toBe(false);
    expect((await listVersions(ctx, place)).items.map(({ no, isLive }) => [no, isLive])).toEqual([
      [2, true],
      [1, false],
    ]);
    await expect(loadVersion(ctx, { ...place, no: 9 })).rejects.toMatchObject({ code: "not_found" });
  });
});
