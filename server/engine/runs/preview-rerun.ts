import { eq } from "drizzle-orm";
import { z } from "zod";
import { runs } from "@/db/schema/runs";
import { nodesOf } from "@/db/statements/state/lock-runs";
import { parseInput } from "@/server/domain/input";
import { nodeKeySchema } from "@/server/domain/pipeline/definition";
import { NODE_ACTIONS } from "@/server/domain/run/possible";
import { type InterventionPreview, previewOf } from "@/server/domain/run/preview";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { projectOfRun, runNotFound } from "./intervention";
import { factsOf } from "./open-run";
import { loadVersion } from "./versions";

export const previewSchema = z.strictObject({ runId: z.uuid(), key: nodeKeySchema, action: z.enum(NODE_ACTIONS) });
export type PreviewInput = z.input<typeof previewSchema>;

/** What an intervention would do, from the same decision that would do it. */
export async function previewRerun(ctx: Ctx, given: PreviewInput): Promise<InterventionPreview & { readonly seq: number }> {
  const { runId, key, action } = parseInput(previewSchema, given);
  authorise(ctx, await projectOfRun(ctx, ctx.db, runId), "project.read");
  const [row] = await ctx.db.select().from(runs).where(eq(runs.id, runId));
  if (!row) throw runNotFound(runId);
  const version = await loadVersion(ctx.db, row.versionId);
  const facts = factsOf(row, await nodesOf(ctx.db, [runId]));
  return { ...previewOf(version.plan, facts, key, action, ctx.clock.now()), seq: row.seq };
}
