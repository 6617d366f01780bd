import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema/access";
import { reviewersSchema } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { reviewersNeeded } from "./code-row";

export const setReviewersSchema = z.strictObject({ projectId: z.uuid(), reviewers: reviewersSchema });
export type SetReviewersInput = z.input<typeof setReviewersSchema>;

/** How many others must approve a code of this project. Proposals that wait are judged by the new number at their next approval. */
export async function setReviewers(ctx: Ctx, input: SetReviewersInput): Promise<{ reviewers: number }> {
  const { projectId, reviewers } = parseInput(setReviewersSchema, input);
  authorise(ctx, projectId, "code.settings");
  await inTransaction(ctx, async (tx) => {
    const [project] = await tx.select({ key: projects.key }).from(projects).where(eq(projects.id, projectId)).for("update");
    const before = await reviewersNeeded(tx, projectId);
    const settings = sql`${projects.settings} || ${JSON.stringify({ codeReviewers: reviewers })}::text::jsonb`;
    await tx.update(projects).set({ settings }).where(eq(projects.id, projectId));
    await writeAudit(tx, ctx, {
      ...{ projectId, verb: "code.setReviewers", object: { kind: "project", id: projectId, label: project?.key ?? projectId } },
      ...{ before: { reviewers: before }, after: { reviewers } },
    });
  });
  ctx.ports.live.changed(projectId);
  return { reviewers };
}

export const codeSettingsSchema = z.strictObject({ projectId: z.uuid() });

export async function loadCodeSettings(ctx: Ctx, given: z.input<typeof codeSettingsSchema>): Promise<{ reviewers: number }> {
  const { projectId } = parseInput(codeSettingsSchema, given);
  authorise(ctx, projectId, "project.read");
  return { reviewers: await reviewersNeeded(ctx.db, projectId) };
}
