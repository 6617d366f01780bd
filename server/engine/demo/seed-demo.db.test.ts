import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pipelines, pipelineVersions } from "@/db/schema/pipelines";
import { audit } from "@/db/schema/platform";
import { runs } from "@/db/schema/runs";
import { testCtx } from "@/db/testing/ctx";
import { openTestDatabase, type TestDatabase } from "@/db/testing/database";
import { parseDefinitionText } from "@/server/domain/pipeline/parse-definition";
import { publishIssues } from "@/server/domain/pipeline/publish-issues";
import type { Ctx } from "@/server/engine/context";
import { listHosts } from "@/server/engine/hosts/list-hosts";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { deletePipeline } from "@/server/engine/pipelines/delete-pipeline";
import { listProjects } from "@/server/engine/projects/list-projects";
import { seedDemo, seedFirstProject } from "./seed-demo";

const folder = "db/seed/demo";
const definitions = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => ({ name: basename(file, ".yaml"), text: readFileSync(join(folder, file), "utf8") }));

describe("the demo's definitions", () => {
  it.each(definitions)("$name may go live as it is written (PIP-7)", ({ name, text }) => {
    const parsed = parseDefinitionText(text);
    expect(parsed.ok ? publishIssues(parsed.definition) : parsed.issues).toEqual([]);
    expect(parsed.ok && parsed.definition.metadata.name).toBe(name);
  });

  it("are an order pipeline of four kinds of step, one of 17 steps with a join, and one whose branch fails", () => {
    const specs = Object.fromEntries(definitions.map(({ name, text }) => [name, parseDefinitionText(text)]));
    const nodes = (name: string) => {
      const parsed = specs[name];
      return parsed?.ok ? parsed.definition.spec.nodes : [];
    };
    expect(nodes("orders").map(({ type }) => type)).toEqual(["http", "command", "handler", "http"]);
    expect(nodes("warehouse-refresh")).toHaveLength(17);
    expect(
      nodes("warehouse-refresh")
        .filter(({ needs }) => needs.length > 1)
        .map(({ key }) => key),
    ).toEqual(["publish"]);
    expect(nodes("ledger-close").length).toBeGreaterThan(3);
  });
});

describe("seeding", () => {
  let database: TestDatabase;
  let ctx: Ctx;
  const idOf = async () => (await listProjects(ctx)).find(({ key }) => key === "demo")?.id ?? "";
  const versionsOf = async (name: string) => {
    const rows = await ctx.db
      .select({ no: pipelineVersions.no })
      .from(pipelineVersions)
      .innerJoin(pipelines, eq(pipelines.id, pipelineVersions.pipelineId))
      .where(eq(pipelines.name, name));
    return rows.length;
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    ctx = testCtx(database.db, { principal: { kind: "system", id: "demo", label: "demo" } });
    await seedDemo(ctx, { port: 4711, definitions });
  });
  afterAll(() => database.close());

  it("makes the project, its live pipelines on the demo's port, the open host and a first run of each", async () => {
    const projectId = await idOf();
    const made = await ctx.db.select().from(pipelines).where(eq(pipelines.projectId, projectId));
    expect(made.map(({ name }) => name).sort()).toEqual(["ledger-close", "orders", "warehouse-refresh"]);
    expect(made.every(({ liveVersionNo, enabled }) => liveVersionNo === 1 && enabled)).toBe(true);
    expect(await listHosts(ctx, projectId)).toMatchObject([{ host: "127.0.0.1", port: 4711 }]);
    const started = await ctx.db.select().from(runs).where(eq(runs.projectId, projectId));
    expect(started).toHaveLength(3);
    expect(started.every(({ params }) => params.service === "http://127.0.0.1:4711")).toBe(true);
  });

  it("again changes nothing: no version, no run, no audit row", async () => {
    const before = [await ctx.db.$count(audit), await ctx.db.$count(runs), await versionsOf("orders")];
    await seedDemo(ctx, { port: 4711, definitions });
    expect([await ctx.db.$count(audit), await ctx.db.$count(runs), await versionsOf("orders")]).toEqual(before);
  });

  it("follows another port where nobody touched the pipeline, and leaves what a person changed or deleted", async () => {
    const projectId = await idOf();
    const person = { ...ctx, principal: { kind: "system", id: "somebody", label: "Somebody" } as const };
    const text = definitions.find(({ name }) => name === "orders")?.text.replace("Orders, every two minutes", "Mine") ?? "";
    await applyDefinition(person, { projectId, name: "orders", source: { kind: "text", text } });
    const [ledger] = await ctx.db
      .select()
      .from(pipelines)
      .where(and(eq(pipelines.projectId, projectId), eq(pipelines.name, "ledger-close")));
    await deletePipeline(person, { projectId, pipelineId: ledger?.id ?? "", reason: "not needed" });
    await seedDemo(ctx, { port: 4712, definitions });
    expect([await versionsOf("orders"), await versionsOf("ledger-close"), await versionsOf("warehouse-refresh")]).toEqual([2, 1, 2]);
    const [mine] = await ctx.db
      .select()
      .from(pipelines)
      .where(and(eq(pipelines.projectId, projectId), eq(pipelines.name, "orders")));
    expect(mine?.title).toBe("Mine");
  });

  it("without the demo makes one project to begin with, and none where there is one", async () => {
    const bare = await openTestDatabase();
    const alone = testCtx(bare.db);
    await seedFirstProject(alone);
    await seedFirstProject(alone);
    expect((await listProjects(alone)).map(({ key }) => key)).toEqual(["main"]);
    await bare.close();
  });
});
