import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { codeMappings } from "@/db/schema/codes";

interface Mapped {
  readonly from: string;
  readonly to: string;
}

/** Which codes the inbox was taught to show under which. */
export async function mappedCodes(db: Executor, projectId: string): Promise<Mapped[]> {
  return db
    .selectDistinct({ from: codeMappings.fromCode, to: codeMappings.toCode })
    .from(codeMappings)
    .where(and(eq(codeMappings.projectId, projectId), isNull(codeMappings.undoneAt)));
}

/**
 * Events `e` of a project that may be shown under one of the codes, each with the code under which it is: the one that the
 * inbox was taught, or its own. To stand after `from`. Indexes: error_events_code, code_mappings_live.
 */
export function shownEvents(projectId: string, codes: readonly string[], mapped: readonly Mapped[]): SQL {
  const wanted = [...new Set([...codes, ...mapped.filter(({ to }) => codes.includes(to)).map(({ from }) => from)])];
  const within = sql`e.project_id = ${projectId}::uuid
    and e.code = any(array(select jsonb_array_elements_text(${JSON.stringify(wanted)}::text::jsonb)))`;
  if (!mapped.some(({ from }) => wanted.includes(from))) return sql`(select e.*, e.code as shown from error_events e where ${within}) e`;
  return sql`(
    select e.*, coalesce(m.to_code, e.code) as shown from error_events e
    left join code_mappings m on m.project_id = e.project_id and m.from_code = e.code
      and m.stack_hash = coalesce(e.stack_hash, '') and m.shape = e.shape and m.undone_at is null
    where ${within}
  ) e`;
}
