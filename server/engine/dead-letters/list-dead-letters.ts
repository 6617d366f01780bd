import { and, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { deadLetters } from "@/db/schema/dead-letters";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type DeadLetter, LETTER_CAUSES, letterView, selectLetters } from "./letter-view";

export const letterFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** `open`: those that wait for a person. */
  show: z.enum(["open", "closed"]).default("open"),
  cause: z.enum(LETTER_CAUSES).optional(),
  cursor: z.string().max(100).optional(),
  limit: pageLimitSchema,
});
export type LetterFilter = z.input<typeof letterFilterSchema>;

/** The dead letters of a project, newest first (RTY-3). Index: dead_letters_open, dead_letters_closed. */
export async function listDeadLetters(ctx: Ctx, given: LetterFilter): Promise<Page<DeadLetter>> {
  const { projectId, show, cause, cursor, limit } = parseInput(letterFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const rows = await selectLetters(ctx.db)
    .where(
      and(
        eq(deadLetters.projectId, projectId),
        show === "open" ? isNull(deadLetters.closedAt) : isNotNull(deadLetters.closedAt),
        cause ? eq(deadLetters.cause, cause) : undefined,
        olderThan(cursor),
      ),
    )
    .orderBy(desc(deadLetters.at), desc(deadLetters.id))
    .limit(limit + 1);
  return pageOf(rows, limit, ({ letter }) => `${letter.at.getTime()}_${letter.id}`, letterView);
}

/** How many wait for a person; what the home screen tells, and never another number than the list shows. */
export async function countOpenLetters(ctx: Ctx, projectId: string): Promise<number> {
  authorise(ctx, projectId, "project.read");
  return ctx.db.$count(
    selectLetters(ctx.db)
      .where(and(eq(deadLetters.projectId, projectId), isNull(deadLetters.closedAt)))
      .as("open_letters"),
  );
}

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

function olderThan(cursor: string | undefined): SQL | undefined {
  if (cursor === undefined) return undefined;
  const [, ms, id] = CURSOR.exec(cursor) ?? [];
  if (!ms || !id) {
    throw new DomainError("invalid_input", `cursor: "${cursor}" is not one that this list gave; leave it out to begin at the newest`, {
      issues: [{ path: "cursor", code: "cursor", message: "not a cursor of this list" }],
    });
  }
  return sql`(${deadLetters.at}, ${deadLetters.id}) < (${new Date(Number(ms)).toISOString()}::timestamptz, ${id}::uuid)`;
}
