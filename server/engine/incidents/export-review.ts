import type { z } from "zod";
import { reviewMarkdown } from "@/server/domain/incident/review-markdown";
import type { Ctx } from "@/server/engine/context";
import type { incidentPlaceSchema } from "./incident-row";
import { loadIncident } from "./load-incident";

/** A review as Markdown, with the facts beside it (INC-3). */
export async function exportReview(ctx: Ctx, given: z.input<typeof incidentPlaceSchema>): Promise<string> {
  const { acknowledged, resolved, closed, review, pipeline, actions, ...incident } = await loadIncident(ctx, given);
  return reviewMarkdown({
    ...{ no: incident.no, code: incident.code, severity: incident.severity, owner: incident.owner, openedAt: incident.openedAt },
    ...{ pipeline: pipeline?.title ?? null, facts: incident.facts, form: review.form },
    ...{ acknowledgedAt: acknowledged?.at ?? null, resolvedAt: resolved?.at ?? null, closedAt: closed?.at ?? null },
    actions: actions.map(({ done, ...action }) => ({ ...action, doneAt: done?.at ?? null, doneNote: done?.note ?? null })),
  });
}
