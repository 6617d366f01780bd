import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { codeMappings } from "@/db/schema/codes";
import { errorEvents } from "@/db/schema/runs";

/** Codes of a project of which the inbox was taught something: only their events need a closer look. */
export async function mappedCodes(db: Executor, projectId: string): Promise<{ from: string; to: string }[]> {
  return db
    .selectDistinct({ from: codeMappings.fromCode, to: codeMappings.toCode })
    .from(codeMappings)
    .where(and(eq(codeMappings.projectId, projectId), isNull(codeMappings.undoneAt)));
}

const texts = (values: readonly string[]): SQL => sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::text::jsonb))`;

/** The code under which an event is shown, as SQL: the own one wherever nothing was taught. */
export function shownCode(mapped: readonly { from: string }[]): SQL<string> {
  if (mapped.length === 0) return sql<string>`${errorEvents.code}`;
  const { projectId, code, stackHash, message } = errorEvents;
  return sql<string>`case when ${code} = any(${texts(mapped.map(({ from }) => from))})
    then shown_code(${projectId}, ${code}, ${stackHash}, ${message}) else ${code} end`;
}

/** Events of a project that may be shown under one of the codes. Index: error_events_code. */
export function eventsUnder(projectId: string, codes: readonly string[], mapped: readonly { from: string; to: string }[]): SQL {
  const wanted = new Set([...codes, ...mapped.filter(({ to }) => codes.includes(to)).map(({ from }) => from)]);
  return sql`${errorEvents.projectId} = ${projectId}::uuid and ${errorEvents.code} = any(${texts([...wanted])})`;
}
