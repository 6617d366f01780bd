import { z } from "@hono/zod-openapi";
import type { Permission } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { DEFAULT_PAGE, MAX_PAGE } from "@/server/domain/paging";
import { nodeKeySchema, pipelineNameSchema } from "@/server/domain/pipeline/definition";
import type { Ctx } from "@/server/engine/context";
import { listProjects } from "@/server/engine/projects/list-projects";
import { loadProject } from "@/server/engine/projects/load-project";

// Schemas of the domain may be built before the documenting package extends zod, so they take `meta` and not `openapi`.
export const projectParam = pipelineNameSchema.meta({ description: "Key of the project.", example: "demo" });
export const pipelineParam = pipelineNameSchema.meta({ description: "Name of the pipeline: `metadata.name`.", example: "orders-daily" });
export const runParam = z.uuid().openapi({ description: "Id of the run." });
export const nodeParam = nodeKeySchema.meta({ description: "Key of the node.", example: "pull" });

export const projectParams = z.strictObject({ project: projectParam });
export const pipelineParams = z.strictObject({ project: projectParam, name: pipelineParam });
export const runParams = z.strictObject({ id: runParam });
export const nodeParams = z.strictObject({ id: runParam, key: nodeParam });

const number = (least: number, most: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, { error: "not a whole number" })
    .transform(Number)
    .pipe(z.int().min(least).max(most));

export const wholeNumber = (least: number, most: number, description: string) =>
  number(least, most).openapi({ type: "integer", description });
export const limitQuery = number(1, MAX_PAGE)
  .default(DEFAULT_PAGE)
  .openapi({ type: "integer", description: `Rows of a page, at most ${MAX_PAGE}.` });
export const cursorQuery = z.string().min(1).max(200).optional().openapi({ description: "`nextCursor` of the page before." });
export const flagQuery = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");
export const instantQuery = z.iso
  .datetime({ offset: true, error: "not an instant; write it like 2026-03-01T00:00:00Z" })
  .transform((text) => new Date(text))
  .optional()
  .openapi({ type: "string", format: "date-time" });

/** The project of the address, or the one that the token is for. */
export async function projectOf(ctx: Ctx, key: string | undefined, permission: Permission): Promise<{ id: string; key: string }> {
  if (key !== undefined) return loadProject(ctx, key, permission);
  const [own, ...others] = await listProjects(ctx);
  if (own && others.length === 0) return loadProject(ctx, own.key, permission);
  throw new DomainError("invalid_input", "project is missing; name one, such as ?project=demo", {
    issues: [{ path: "project", code: "required", message: "project is missing; name one" }],
  });
}
