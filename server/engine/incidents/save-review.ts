import { and, eq, isNull, notInArray } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { incidentActions, incidentCodes, incidentReviews } from "@/db/schema/incidents";
import { DomainError } from "@/server/domain/failure";
import { type Action, changedFields, EMPTY_REVIEW, type ReviewForm, reviewFormSchema, reviewIssues } from "@/server/domain/incident/review";
import { invalidInput, parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { auditedIncident, type IncidentRow, incidentPlaceSchema, lockIncident } from "./incident-row";
import { ownerOf } from "./owners";
import { newestReview, type SavedReview } from "./review-row";

export const saveIncidentReviewSchema = incidentPlaceSchema.extend({
  /** Of the wording that it was made from; 0 where there was none. */
  revision: z.int().min(0),
  form: reviewFormSchema,
});

/** Keeps a post-incident review, complete or not; of two who edit, the slower is told what the other has changed (INC-2). */
export async function saveIncidentReview(
  ctx: Ctx,
  given: z.input<typeof saveIncidentReviewSchema>,
): Promise<{ revision: number; missing: number }> {
  const { id, revision, form } = parseInput(saveIncidentReviewSchema, given);
  const row = await inTransaction(ctx, async (tx) => {
    const row = await lockIncident(ctx, tx, id, "incident.handle");
    const last = await newestReview(tx, id);
    if ((last?.revision ?? 0) !== revision) throw await stale(tx, row, revision, last);
    refuseWhereClosed(row, form);
    refuseTwice(form.actions);
    const now = await storedNow(ctx, tx);
    const savedBy = actorOf(ctx.principal).label;
    await tx.insert(incidentReviews).values({ incidentId: id, revision: revision + 1, form, savedBy, savedAt: now });
    await keepActions(tx, row, form.actions);
    await keepCodes(tx, row, form.codes);
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "incident.review",
      object: auditedIncident(row),
      before: last && { revision, changed: changedFields(last.form, form) },
      after: { revision: revision + 1, missing: reviewIssues(form).length },
    });
    return row;
  });
  ctx.ports.live.changed(row.projectId);
  return { revision: revision + 1, missing: reviewIssues(form).length };
}

async function stale(tx: Tx, row: IncidentRow, revision: number, last: SavedReview | null): Promise<DomainError> {
  const [seen] = await tx
    .select({ form: incidentReviews.form })
    .from(incidentReviews)
    .where(and(eq(incidentReviews.incidentId, row.id), eq(incidentReviews.revision, revision)));
  const before = seen ? reviewFormSchema.parse(seen.form) : EMPTY_REVIEW;
  const changed = changedFields(before, last?.form ?? EMPTY_REVIEW);
  const by = last ? `${last.savedBy} saved it` : "it is gone";
  return new DomainError(
    "stale",
    `the review of incident #${row.no} was changed meanwhile: ${by}, with changes in ${changed.join(", ") || "nothing"}`,
    {
      details: {
        id: row.id,
        revision: last?.revision ?? 0,
        changed,
        savedBy: last?.savedBy ?? null,
        savedAt: last?.savedAt.toISOString() ?? null,
      },
    },
  );
}

/** A closed review is settled; once its incident has come back it is open to discussion, and stays complete. */
function refuseWhereClosed(row: IncidentRow, form: ReviewForm): void {
  if (row.state !== "closed") return;
  if (row.recurredIn === null) {
    throw new DomainError("illegal_transition", `incident #${row.no} is closed; reopen it to change its review`, {
      details: { id: row.id, state: row.state },
    });
  }
  const issues = reviewIssues(form);
  if (issues.length > 0) throw invalidInput(issues, "the review of a closed incident");
}

function refuseTwice(actions: readonly Action[]): void {
  if (new Set(actions.map(({ id }) => id)).size === actions.length) return;
  throw invalidInput([{ path: "actions", code: "duplicate", message: "two actions have the same id" }], "the review");
}

/** What is done stays as it was done: it is neither changed nor taken out. */
async function keepActions(tx: Tx, row: IncidentRow, actions: readonly Action[]): Promise<void> {
  const ids = actions.map(({ id }) => id);
  await tx
    .delete(incidentActions)
    .where(
      and(
        eq(incidentActions.incidentId, row.id),
        isNull(incidentActions.doneAt),
        ids.length > 0 ? notInArray(incidentActions.id, ids) : undefined,
      ),
    );
  for (const [position, { id, what, ownerId, due, proof }] of actions.entries()) {
    const owner = ownerId === null ? null : (await ownerOf(tx, row.projectId, ownerId)).name;
    const set = { position, what, ownerId, owner, due, proof };
    const own = and(eq(incidentActions.incidentId, row.id), isNull(incidentActions.doneAt));
    const [kept] = await tx
      .insert(incidentActions)
      .values({ id, incidentId: row.id, ...set })
      .onConflictDoUpdate({ target: incidentActions.id, set, setWhere: own })
      .returning({ id: incidentActions.id });
    if (!kept) await refuseForeign(tx, row, id);
  }
}

/** Not written is right where it is done; an id of another incident is not. */
async function refuseForeign(tx: Tx, row: IncidentRow, id: string): Promise<void> {
  const own = await tx.$count(incidentActions, and(eq(incidentActions.id, id), eq(incidentActions.incidentId, row.id)));
  if (own > 0) return;
  throw invalidInput([{ path: "actions", code: "duplicate", message: "an action has the id of another incident's" }], "the review");
}

async function keepCodes(tx: Tx, row: IncidentRow, codes: readonly string[]): Promise<void> {
  await tx.delete(incidentCodes).where(eq(incidentCodes.incidentId, row.id));
  const { projectId, id: incidentId } = row;
  const all = [...new Set(codes)].map((code) => ({ projectId, code, incidentId }));
  if (all.length > 0) await tx.insert(incidentCodes).values(all);
}
