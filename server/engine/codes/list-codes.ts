import { and, asc, eq, gt, ilike, or, sql } from "drizzle-orm";
import { z } from "zod";
import { errorCodes } from "@/db/schema/codes";
import { recentRunsOnly } from "@/db/statements/recent-runs";
import { GRADES } from "@/server/domain/alert/grade";
import { CODE_STATES, MOST_EVENTS } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type CodeView, codeView } from "./code-row";

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
  /** Events of the last seven days that are shown under it, at most MOST_EVENTS. */
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

/**
 * Of each code, and of each that is shown under it, the newest events and no more than are counted: a storm of one code must
 * not make the list slow. Index: error_events_code.
 */
async function countEvents(ctx: Ctx, projectId: string, codes: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (codes.length === 0) return new Map();
  const rows = await ctx.db.execute<{ shown: string; events: number }>(sql`
    with live as materialized (
      select from_code, to_code, stack_hash, shape from code_mappings where project_id = ${projectId}::uuid and undone_at is null
    )
    select w.code as shown, least(count(*), ${MOST_EVENTS})::integer as events
    from jsonb_array_elements_text(${JSON.stringify(codes)}::text::jsonb) w(code)
    cross join lateral (select w.code as source union select from_code from live where to_code = w.code) s
    cross join lateral (
      select e.stack_hash, e.shape from error_events e
      where e.project_id = ${projectId}::uuid and e.code = s.source and e.at > now() - interval '7 days'
        and ${recentRunsOnly(sql`e.run_id`, 7)}
      order by e.at desc limit ${MOST_EVENTS}
    ) e
    left join live m on m.from_code = s.source and m.stack_hash = coalesce(e.stack_hash, '') and m.shape = e.shape
    where coalesce(m.to_code, s.source) = w.code
    group by w.code
  `);
  return new Map(rows.map(({ shown, events }) => [shown, events]));
}
