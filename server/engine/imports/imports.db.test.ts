import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { actingAs, makeProject, makeUser, testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { listAudit } from "@/server/engine/audit/list-audit";
import type { Ctx } from "@/server/engine/context";
import { createPipeline } from "@/server/engine/pipelines/create-pipeline";
import { deletePipeline } from "@/server/engine/pipelines/delete-pipeline";
import { loadPipelineByName } from "@/server/engine/pipelines/load-pipeline";
import { importCrontab } from "./import-crontab";
import { previewCrontabImport } from "./preview-crontab";

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

const FILE = [
  "MAILTO=ops@example.org",
  "# every night",
  "0 2 * * * /opt/export --day $(date +\\%F)",
  "CRON_TZ=Europe/Berlin",
  "*/10 * * * * /opt/sync%line one%line two",
  "@daily /opt/clean",
  "0 0 31 2 * /opt/never",
  "#5 5 * * 1 /opt/retired",
  "0 2 * * * /opt/report {{ day }}",
].join("\r\n");
const source = (text = FILE) => ({ projectId, text, timezone: "Asia/Shanghai" });
const made = () => ctx.db.select().from(pipelines).where(eq(pipelines.projectId, projectId));

describe("importing a crontab", () => {
  it("previews each line, and then creates a live pipeline for each that is ticked (INV-3)", async () => {
    const preview = await previewCrontabImport(ctx, source());
    expect(preview.counts).toMatchObject({ offered: 5, ticked: 4, refused: 1 });
    expect(preview.existing).toEqual([]);
    expect(await made()).toEqual([]);

    const imported = await importCrontab(ctx, { ...source(), enabled: true, owner: "ops" });
    expect(imported.created.map(({ line }) => line)).toEqual([3, 5, 6, 9]);
    const rows = await made();
    expect(
      rows.every(
        ({ owner, enabled, liveVersionNo, origin }) =>
          owner === "ops" && enabled && liveVersionNo === 1 && /^crontab:[0-9a-f]{64}$/.test(origin ?? ""),
      ),
    ).toBe(true);
    const sync = await loadPipelineByName(ctx, { projectId, name: imported.created[1]?.name ?? "" });
    expect(sync.schedules).toMatchObject([{ expression: "*/10 * * * *", timezone: "Europe/Berlin", enabled: true }]);
    expect(sync.live?.definition.spec.nodes).toMatchObject([{ type: "command", with: { stdin: "line one\nline two\n" } }]);
  });

  it("leaves one audit row for each pipeline that it made, with its line (AUD-2)", async () => {
    await importCrontab(ctx, source());
    const { items } = await listAudit(ctx, { projectId });
    expect(items.map(({ verb }) => verb)).toEqual(Array.from({ length: 4 }, () => "pipeline.import"));
    expect(items[0]?.after).toMatchObject({ version: 1, message: expect.stringContaining("line 9") });
  });

  it("twice, also at the same moment and from another file with the same lines, creates nothing twice (INV-3)", async () => {
    const both = await Promise.all([importCrontab(ctx, source()), importCrontab(ctx, source())]);
    expect(both.map(({ created }) => created.length).sort()).toEqual([0, 4]);
    const other = await importCrontab(ctx, source(`${FILE}\r\n7 7 * * * /opt/fresh`));
    expect(other.created).toHaveLength(1);
    expect(other.existing).toHaveLength(4);
    expect(await made()).toHaveLength(5);
    expect((await previewCrontabImport(ctx, source())).existing.map(({ line }) => line)).toEqual([3, 5, 6, 9]);
  });

  it("makes schedules that rest unless they are asked to fire (INV-3)", async () => {
    await importCrontab(ctx, source());
    const rows = await ctx.db.select().from(schedules).where(eq(schedules.projectId, projectId));
    expect(rows.map(({ enabled }) => enabled)).toEqual([false, false, false, false]);
  });

  it("creates all of the choice or nothing of it (INV-3, SEC-3)", async () => {
    const choose = (selection: { line: number; name?: string }[]) => importCrontab(ctx, { ...source(), selection });
    await expect(choose([{ line: 3 }, { line: 7 }])).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "selection[1].line" }],
    });
    await expect(choose([{ line: 3 }, { line: 99 }])).rejects.toMatchObject({ code: "invalid_input" });
    await expect(choose([])).rejects.toMatchObject({ code: "unprocessable" });
    expect(await made()).toEqual([]);
    expect((await choose([{ line: 8, name: "retired" }])).created).toMatchObject([{ line: 8, name: "retired" }]);
  });

  it("gives each pipeline a name of its own beside those that are there (INV-3)", async () => {
    const first = await previewCrontabImport(ctx, source("1 1 * * * /opt/same --a\n2 2 * * * /opt/same --b\n"));
    const [name] = first.lines.flatMap((line) => ("entry" in line && line.entry ? [line.entry.name] : []));
    await createPipeline(ctx, { projectId, name: name ?? "", title: "Taken" });
    const { created } = await importCrontab(ctx, source("1 1 * * * /opt/same --a\n2 2 * * * /opt/same --b\n"));
    expect(new Set([name, ...created.map((line) => line.name)]).size).toBe(3);
  });

  it("a pipeline that was deleted may be imported again (INV-3, PIP-9)", async () => {
    const { created } = await importCrontab(ctx, source("1 1 * * * /opt/again\n"));
    await deletePipeline(ctx, { projectId, pipelineId: created[0]?.pipelineId ?? "", reason: "a test" });
    expect((await importCrontab(ctx, source("1 1 * * * /opt/again\n"))).created).toHaveLength(1);
  });

  it("takes a file of 200 lines in one go (INV-3)", async () => {
    const lines = Array.from({ length: 200 }, (_, n) => `${n % 60} ${n % 24} * * * /opt/job-${n} --shard ${n}`);
    const { created } = await importCrontab(ctx, source(lines.join("\n")));
    expect(created).toHaveLength(200);
    expect((await importCrontab(ctx, source(lines.join("\n")))).existing).toHaveLength(200);
  });

  it("is for editors: an operator may not even preview (AUD-1)", async () => {
    const operator = actingAs(world, await makeUser(world, { id: projectId }, "operator"));
    await expect(previewCrontabImport(operator, source())).rejects.toMatchObject({ code: "forbidden" });
    await expect(importCrontab(operator, source())).rejects.toMatchObject({ code: "forbidden" });
    await expect(importCrontab(ctx, { ...source(), timezone: "Mars/Base" })).rejects.toMatchObject({ code: "invalid_input" });
  });
});
