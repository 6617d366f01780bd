import { desc, eq } from "drizzle-orm";
import { projects } from "@/db/schema/access";
import { pipelines, pipelineVersions } from "@/db/schema/pipelines";
import { settings } from "@/db/schema/platform";
import { DomainError } from "@/server/domain/failure";
import { authorisePlatform } from "@/server/engine/access/authorise";
import { actorOf, type Ctx } from "@/server/engine/context";
import { allowHost } from "@/server/engine/hosts/allow-host";
import { listHosts } from "@/server/engine/hosts/list-hosts";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { createProject } from "@/server/engine/projects/create-project";
import { triggerRun } from "@/server/engine/runs/trigger-run";

export const DEMO_PROJECT = "demo";
const SEEDED = "demo.seeded";
/** As the definitions have it in the repository. */
const WRITTEN_PORT = "127.0.0.1:4011";

export interface DemoSeed {
  /** Port of the demo service on the loopback address. */
  readonly port: number;
  readonly definitions: readonly { readonly name: string; readonly text: string }[];
}

/**
 * The demo project with its pipelines, really running. Once: what a person changed or deleted since stays so; only the port
 * of the demo service is followed, in pipelines that nobody has touched.
 */
export async function seedDemo(ctx: Ctx, seed: DemoSeed): Promise<void> {
  authorisePlatform(ctx);
  const projectId = await ensureProject(ctx, DEMO_PROJECT, "Demo");
  await openPort(ctx, projectId, seed.port);
  const isFirst = (await ctx.db.select().from(settings).where(eq(settings.key, SEEDED))).length === 0;
  for (const { name, text } of seed.definitions) {
    if (!isFirst && !(await isUntouched(ctx, projectId, name))) continue;
    const source = { kind: "text", text: text.replaceAll(WRITTEN_PORT, `127.0.0.1:${seed.port}`) } as const;
    await applyDefinition(ctx, { projectId, name, source, message: "Demo" });
    // The key makes a seed that was cut off and begun again start one run and not two.
    if (isFirst) await triggerRun(ctx, { projectId, pipeline: name, kind: "manual", idempotencyKey: `demo-first-run-${name}` });
  }
  await ctx.db
    .insert(settings)
    .values({ key: SEEDED, value: { at: ctx.clock.now() } })
    .onConflictDoNothing();
}

/** A new installation without the demo still has a place to begin. */
export async function seedFirstProject(ctx: Ctx): Promise<void> {
  authorisePlatform(ctx);
  const known = await ctx.db.select({ id: projects.id }).from(projects).limit(1);
  if (known.length === 0) await ensureProject(ctx, "main", "Main");
}

async function ensureProject(ctx: Ctx, key: string, title: string): Promise<string> {
  const find = async () => (await ctx.db.select({ id: projects.id }).from(projects).where(eq(projects.key, key)))[0]?.id;
  const known = await find();
  if (known) return known;
  try {
    return (await createProject(ctx, { key, title })).id;
  } catch (error) {
    const made = error instanceof DomainError && error.code === "conflict" ? await find() : undefined;
    if (made) return made;
    throw error;
  }
}

async function openPort(ctx: Ctx, projectId: string, port: number): Promise<void> {
  const opened = await listHosts(ctx, projectId);
  if (opened.some((target) => target.host === "127.0.0.1" && target.port === port)) return;
  await allowHost(ctx, { projectId, host: "127.0.0.1", port, reason: "The demo's own service on this machine" });
}

/** Whether its latest version is the seed's own. */
async function isUntouched(ctx: Ctx, projectId: string, name: string): Promise<boolean> {
  const [latest] = await ctx.db
    .select({ by: pipelineVersions.createdBy, project: pipelines.projectId, deletedAt: pipelines.deletedAt })
    .from(pipelineVersions)
    .innerJoin(pipelines, eq(pipelines.id, pipelineVersions.pipelineId))
    .where(eq(pipelines.name, name))
    .orderBy(desc(pipelineVersions.id))
    .limit(1);
  return latest !== undefined && latest.project === projectId && latest.deletedAt === null && latest.by === actorOf(ctx.principal).label;
}
