import type { Action, ReviewForm } from "@/server/domain/incident/review";

/** What a person has written, and on which saved wording. */
export interface ReviewDraft {
  readonly form: ReviewForm;
  readonly base: ReviewForm;
  readonly revision: number;
}

export const newAction = (id: string): Action => ({ id, what: "", ownerId: null, due: null, proof: "" });

/** The root cause is no contributing factor as well. */
export const withRootCause = (form: ReviewForm, rootCause: NonNullable<ReviewForm["rootCause"]>): ReviewForm => ({
  ...form,
  rootCause,
  factors: form.factors.filter((factor) => factor !== rootCause),
});

export const toggled = <V>(values: readonly V[], value: V, on: boolean): V[] =>
  on ? [...values.filter((each) => each !== value), value] : values.filter((each) => each !== value);

export const withAction = (form: ReviewForm, id: string, change: Partial<Action>): ReviewForm => ({
  ...form,
  actions: form.actions.map((action) => (action.id === id ? { ...action, ...change } : action)),
});

/** Codes as a person writes them: in any case, with spaces, commas or lines between them, each once. */
export const codesOf = (text: string): string[] => [
  ...new Set(
    text
      .toUpperCase()
      .split(/[\s,;，；、]+/)
      .filter((code) => code !== ""),
  ),
];
