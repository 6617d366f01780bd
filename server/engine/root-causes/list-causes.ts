import { and, desc, eq, isNull, lt } from "drizzle-orm";
import { z } from "zod";
import { rootCauseCards } from "@/db/schema/root-causes";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { idCursorSchema, type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type CauseView, causeView } from "./cause-view";

export const causeFilterSchema = z.strictObject({
  projectId: z.uuid(),
  code: errorCodeSchema.optional(),
  /** Only what still goes on. */
  open: z.boolean().default(false),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});

/** The bursts of a project or of one of its codes, the newest first (EXC-7). Index: root_cause_cards_code, _project, _open. */
export async function listCauses(ctx: Ctx, given: z.input<typeof causeFilterSchema>): Promise<Page<CauseView>> {
  const { projectId, code, open, cursor, limit } = parseInput(causeFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select()
    .from(rootCauseCards)
    .where(
      and(
        eq(rootCauseCards.projectId, projectId),
        code === undefined ? undefined : eq(rootCauseCards.code, code),
        open ? isNull(rootCauseCards.endedAt) : undefined,
        cursor === undefined ? undefined : lt(rootCauseCards.id, cursor),
      ),
    )
    .orderBy(desc(rootCauseCards.id))
    .limit(limit + 1);
  return pageOf(rows, limit, ({ id }) => id, causeView);
}
