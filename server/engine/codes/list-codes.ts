import { and, asc, eq, gt, ilike, or, sql } from "drizzle-orm";
import { z } from "zod";
import { errorCodes } from "@/db/schema/codes";
import { GRADES } from "@/server/domain/alert/grade";
import { CODE_STATES } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type CodeView, codeView } from "./code-row";
import { mappedCodes, shownEvents } from "./mapping";

export const codeFilterSchema = z.strictObject({
  projectId: z.uuid(),
  state: z.enum(CODE_STATES).optional(),
  grade: z.enum(GRADES).optional(),
  /** A part of the code, the title or the owner. */
  search: z.string().max(100).optional(),
  /** The last code of the page before. */
  cursor: z.string().max(64).optional(),
  limit: pageLimitSchema,
});
export type CodeFilter = z.input<typeof codeFilterSchema>;

export interface CodeLine extends CodeView {
  /** Events of the last seven days that are shown under it. */
  readonly events: number;
}

/** The register of a project by code. Indexes: error_codes_code, error_events_code. */
export async function listCodes(ctx: Ctx, given: CodeFilter): Promise<Page<CodeLine>> {
  const { projectId, state, grade, search, cursor, limit } = parseInput(codeFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const like = search ? `%${search.replace(/[\\%_]/g, "\\$&")}%` : undefined;
  const rows = await ctx.db
    .select()
    .from(errorCodes)
    .where(
      and(
        eq(errorCodes.projectId, projectId),
        state ? eq(errorCodes.state, state) : undefined,
        grade ? eq(errorCodes.grade, grade) : undefined,
        like ? or(...[errorCodes.code, errorCodes.titleEn, errorCodes.titleZh, errorCodes.owner].map((of) => ilike(of, like))) : undefined,
        cursor ? gt(errorCodes.code, cursor) : undefined,
      ),
    )
    .orderBy(asc(errorCodes.code))
    .limit(limit + 1);
  const counts = await countEvents(
    ctx,
    projectId,
    rows.map(({ code }) => code),
  );
  return pageOf(
    rows,
    limit,
    ({ code }) => code,
    (row) => ({ ...codeView(row), events: counts.get(row.code) ?? 0 }),
  );
}

async function countEvents(ctx: Ctx, projectId: string, codes: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (codes.length === 0) return new Map();
  const events = shownEvents(projectId, codes, await mappedCodes(ctx.db, projectId));
  const rows = await ctx.db.execute<{ shown: string; events: number }>(sql`
    select shown, count(*)::integer as events from ${events} where at > clock_timestamp() - interval '7 days' group by shown
  `);
  return new Map(rows.map(({ shown, events: count }) => [shown, count]));
}
