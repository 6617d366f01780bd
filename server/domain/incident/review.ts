import { z } from "zod";
import type { Grade } from "@/server/domain/alert/grade";
import { canonicalJson } from "@/server/domain/canonical-json";
import type { InputIssue } from "@/server/domain/failure";
import { textSchema } from "@/server/domain/pipeline/definition";
import { needsReview } from "./transitions";

/** Exactly one of them is the root cause (INC-2). */
export const ROOT_CAUSES = ["code_defect", "configuration", "dependency", "capacity", "other"] as const;
export type RootCause = (typeof ROOT_CAUSES)[number];

/** Whom or what it reached; several may be true. */
export const IMPACTS = ["customers", "data", "money", "deadlines", "internal"] as const;
export type Impact = (typeof IMPACTS)[number];

export const MAX_FIX = 200;

const daySchema = z.iso.date({ error: "not a date; write it like 2026-03-01" });

/** One thing that is done so that it does not come back. A draft may leave anything empty. */
export const actionSchema = z.strictObject({
  id: z.uuid(),
  what: textSchema(300).trim(),
  /** A person of the project. */
  ownerId: z.string().min(1).max(64).nullable(),
  due: daySchema.nullable(),
  /** How it will be known that it works. */
  proof: textSchema(300).trim(),
});
export type Action = z.output<typeof actionSchema>;

export const reviewFormSchema = z.strictObject({
  rootCause: z.enum(ROOT_CAUSES).nullable(),
  factors: z.array(z.enum(ROOT_CAUSES)).max(ROOT_CAUSES.length),
  impact: z.array(z.enum(IMPACTS)).max(IMPACTS.length),
  summary: textSchema(4_000).trim(),
  fix: textSchema(MAX_FIX).trim(),
  codes: z.array(textSchema(64).min(1)).max(20),
  actions: z.array(actionSchema).max(20),
});
export type ReviewForm = z.output<typeof reviewFormSchema>;

export const EMPTY_REVIEW: ReviewForm = { rootCause: null, factors: [], impact: [], summary: "", fix: "", codes: [], actions: [] };

/** What is still missing before a review is one (INC-2); empty where it is complete. */
export function reviewIssues(form: ReviewForm): readonly InputIssue[] {
  const issues: InputIssue[] = [];
  const missing = (path: string, message: string) => issues.push({ path, code: "required", message });
  if (form.rootCause === null) missing("rootCause", "choose the one root cause");
  if (form.rootCause !== null && form.factors.includes(form.rootCause)) {
    issues.push({ path: "factors", code: "duplicate", message: "the root cause is no contributing factor as well; take it out" });
  }
  if (form.impact.length === 0) missing("impact", "say whom or what it reached");
  if (form.fix === "") missing("fix", "say what ended it");
  if (form.codes.length === 0) missing("codes", "name at least one error code");
  if (form.actions.length === 0) missing("actions", "name at least one action that prevents it from coming back");
  for (const [at, action] of form.actions.entries()) {
    if (action.what === "") missing(`actions[${at}].what`, "say what will be done");
    if (action.ownerId === null) missing(`actions[${at}].ownerId`, "name who does it");
    if (action.due === null) missing(`actions[${at}].due`, "set the date by which it is done");
    if (action.proof === "") missing(`actions[${at}].proof`, "say how it will be proved");
  }
  return issues;
}

/** What keeps an incident from being closed: of a P0 or P1 whatever its review lacks, of others nothing. */
export const closingIssues = (severity: Grade, review: ReviewForm | null): readonly InputIssue[] =>
  needsReview(severity) ? reviewIssues(review ?? EMPTY_REVIEW) : [];

/** The fields in which two wordings differ, for the person who was slower. */
export const changedFields = (before: ReviewForm, after: ReviewForm): readonly (keyof ReviewForm)[] =>
  (Object.keys(EMPTY_REVIEW) as (keyof ReviewForm)[]).filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name]));

export interface KeptAction {
  readonly due: string | null;
  readonly doneAt: Date | null;
}

/** A day is over when it is over in UTC: the same answer for everybody who looks. */
export const isOverdue = ({ due, doneAt }: KeptAction, now: Date): boolean =>
  doneAt === null && due !== null && due < now.toISOString().slice(0, 10);

/** Why it could come back: somebody is late, it was not due yet, or what was done did not prevent it (INC-6). */
export function recurrenceVerdict(actions: readonly KeptAction[], now: Date): "overdue" | "pending" | "not_prevented" {
  if (actions.some((action) => isOverdue(action, now))) return "overdue";
  return actions.some(({ doneAt }) => doneAt === null) ? "pending" : "not_prevented";
}
