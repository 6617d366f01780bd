import { asc, eq } from "drizzle-orm";
import { z } from "zod";
import { playbooks } from "@/db/schema/playbooks";
import { matchesCode } from "@/server/domain/alert/pattern";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { SHIPPED_PLAYBOOKS, type ShippedPlaybook, shippedFor } from "@/server/domain/playbooks/shipped";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type OwnPlaybook, ownPlaybook } from "./playbook-row";

export const playbooksOfSchema = z.strictObject({
  projectId: z.uuid(),
  /** Only those that are offered for this code. */
  code: errorCodeSchema.optional(),
});

export interface Playbooks {
  readonly own: readonly OwnPlaybook[];
  readonly shipped: readonly (Pick<ShippedPlaybook, "checks" | "patterns"> & { readonly key: (typeof SHIPPED_PLAYBOOKS)[number]["key"] })[];
}

/** The playbooks of a project, its own before the shipped ones (INC-4). Index: playbooks_title; their number is limited. */
export async function listPlaybooks(ctx: Ctx, given: z.input<typeof playbooksOfSchema>): Promise<Playbooks> {
  const { projectId, code } = parseInput(playbooksOfSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db.select().from(playbooks).where(eq(playbooks.projectId, projectId)).orderBy(asc(playbooks.title));
  if (code === undefined) return { own: rows.map(ownPlaybook), shipped: SHIPPED_PLAYBOOKS };
  const own = rows.filter(({ pattern }) => pattern !== null && matchesCode(pattern, code));
  return { own: own.map(ownPlaybook), shipped: shippedFor(code) };
}
