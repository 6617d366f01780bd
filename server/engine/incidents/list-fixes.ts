import { and, desc, eq, inArray, isNotNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { incidentCodes, incidentReviews, incidents } from "@/db/schema/incidents";
import { type RootCause, reviewFormSchema } from "@/server/domain/incident/review";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export const fixesOfSchema = z.strictObject({ projectId: z.uuid(), code: z.string().min(1).max(64) });
const LAST_FIXES = 5;

export interface Fix {
  readonly incidentId: string;
  readonly no: number;
  readonly closedAt: Date | null;
  readonly owner: string | null;
  readonly rootCause: RootCause | null;
  readonly fix: string;
}

/** What fixed a code the last five times, from reviews that speak of it (INC-3). */
export async function fixesOf(ctx: Ctx, given: z.input<typeof fixesOfSchema>): Promise<readonly Fix[]> {
  const { projectId, code } = parseInput(fixesOfSchema, given);
  authorise(ctx, projectId, "project.read");
  return lastFixes(ctx.db, projectId, { code, limit: LAST_FIXES });
}

/** The same for who is authorised already. Index: the keys of incident_codes and incident_reviews. */
export async function lastFixes(
  db: Executor,
  projectId: string,
  { code, limit }: { readonly code: string; readonly limit: number },
): Promise<readonly Fix[]> {
  const closed = await db
    .select({ id: incidents.id, no: incidents.no, closedAt: incidents.closedAt, owner: incidents.owner })
    .from(incidentCodes)
    .innerJoin(incidents, eq(incidents.id, incidentCodes.incidentId))
    .where(and(eq(incidentCodes.projectId, projectId), eq(incidentCodes.code, code), isNotNull(incidents.reviewedAt)))
    .orderBy(desc(incidents.closedAt))
    .limit(limit);
  if (closed.length === 0) return [];
  const forms = await db
    .selectDistinctOn([incidentReviews.incidentId])
    .from(incidentReviews)
    .where(
      inArray(
        incidentReviews.incidentId,
        closed.map(({ id }) => id),
      ),
    )
    .orderBy(incidentReviews.incidentId, desc(incidentReviews.revision));
  const byIncident = new Map(forms.map((row) => [row.incidentId, reviewFormSchema.parse(row.form)]));
  return closed.map(({ id, ...incident }) => {
    const form = byIncident.get(id);
    return { incidentId: id, ...incident, rootCause: form?.rootCause ?? null, fix: form?.fix ?? "" };
  });
}
