import { asc, desc, eq } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { incidentActions, incidentReviews } from "@/db/schema/incidents";
import { isOverdue, type ReviewForm, reviewFormSchema } from "@/server/domain/incident/review";

export interface SavedReview {
  readonly revision: number;
  readonly form: ReviewForm;
  readonly savedBy: string;
  readonly savedAt: Date;
}

/** The newest wording; null while none was saved. Index: the key of incident_reviews. */
export async function newestReview(db: Executor, incidentId: string): Promise<SavedReview | null> {
  const [row] = await db
    .select()
    .from(incidentReviews)
    .where(eq(incidentReviews.incidentId, incidentId))
    .orderBy(desc(incidentReviews.revision))
    .limit(1);
  return row ? { revision: row.revision, form: reviewFormSchema.parse(row.form), savedBy: row.savedBy, savedAt: row.savedAt } : null;
}

export interface ActionView {
  readonly id: string;
  readonly what: string;
  readonly ownerId: string | null;
  readonly owner: string | null;
  readonly due: string | null;
  readonly proof: string;
  readonly done: { readonly at: Date; readonly by: string; readonly note: string } | null;
  readonly overdue: boolean;
}

export const actionView = (row: typeof incidentActions.$inferSelect, now: Date): ActionView => ({
  ...{ id: row.id, what: row.what, ownerId: row.ownerId, owner: row.owner, due: row.due, proof: row.proof },
  done: row.doneAt && { at: row.doneAt, by: row.doneBy ?? "", note: row.doneNote ?? "" },
  overdue: isOverdue(row, now),
});

/** The actions of an incident in their order. Index: incident_actions_incident. */
export async function actionsOf(db: Executor, incidentId: string, now: Date): Promise<ActionView[]> {
  const rows = await db
    .select()
    .from(incidentActions)
    .where(eq(incidentActions.incidentId, incidentId))
    .orderBy(asc(incidentActions.position), asc(incidentActions.id));
  return rows.map((row) => actionView(row, now));
}
