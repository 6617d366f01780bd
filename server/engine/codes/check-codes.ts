import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { errorCodes } from "@/db/schema/codes";
import { pipelines, pipelineVersions } from "@/db/schema/pipelines";
import { codeConstants } from "@/server/domain/codes/constants";
import type { CodeState } from "@/server/domain/codes/definition";
import { nearCodes } from "@/server/domain/codes/near-codes";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export const checkCodesSchema = z.strictObject({ projectId: z.uuid(), codes: z.array(z.string().max(64)).max(2_000) });

export interface RefusedCode {
  readonly code: string;
  /** Null where the register does not know it. */
  readonly state: Exclude<CodeState, "registered"> | null;
  readonly near: readonly string[];
}

/**
 * Which of the given codes may not be used: those in a domain of this project that are not registered (EXC-9). What has
 * the form of a code and another beginning is somebody else's constant.
 */
export async function checkCodes(ctx: Ctx, given: z.input<typeof checkCodesSchema>): Promise<RefusedCode[]> {
  const { projectId, codes } = parseInput(checkCodesSchema, given);
  authorise(ctx, projectId, "project.read");
  const known = await ctx.db
    .select({ code: errorCodes.code, state: errorCodes.state })
    .from(errorCodes)
    .where(eq(errorCodes.projectId, projectId));
  const domains = await ctx.db
    .selectDistinct({ domain: sql<string>`${pipelineVersions.definition} -> 'spec' ->> 'domain'` })
    .from(pipelines)
    .innerJoin(pipelineVersions, eq(pipelineVersions.id, pipelines.liveVersionId))
    .where(and(eq(pipelines.projectId, projectId), isNull(pipelines.archivedAt)));
  const own = [...new Set([...domains.map(({ domain }) => domain), ...known.map(({ code }) => code.split("_")[0] ?? "")])];
  const states = new Map(known.map(({ code, state }) => [code, state as CodeState]));
  const registered = known.filter(({ state }) => state === "registered").map(({ code }) => code);
  return [...new Set(codes)]
    .filter((code) => own.some((domain) => code.startsWith(`${domain}_`)))
    .flatMap((code) => {
      const state = states.get(code) ?? null;
      if (state === "registered") return [];
      return [{ code, state, near: nearCodes(code, registered).map((near) => near.code) }];
    });
}

/** The registered codes of a project as a TypeScript module. */
export async function exportCodes(ctx: Ctx, project: { readonly id: string; readonly key: string }): Promise<string> {
  authorise(ctx, project.id, "project.read");
  const rows = await ctx.db
    .select({ code: errorCodes.code, title: errorCodes.titleEn, grade: errorCodes.grade })
    .from(errorCodes)
    .where(and(eq(errorCodes.projectId, project.id), eq(errorCodes.state, "registered")));
  return codeConstants(project.key, rows);
}
