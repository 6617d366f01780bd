import type { AttemptView, NodeView } from "../../views";

type Numbered = Pick<AttemptView, "generation" | "no">;

/** `2` of the only generation, `2.1` where there are several: what a chip shows and an address keeps. */
export const attemptName = (attempt: Numbered, several: boolean): string =>
  several ? `${attempt.generation}.${attempt.no}` : String(attempt.no);

export const attemptKey = (attempt: Numbered): string => `${attempt.generation}.${attempt.no}`;

/** Oldest first; each generation is a try that a person began. */
export const inOrder = <A extends Numbered>(attempts: readonly A[]): A[] =>
  [...attempts].sort((a, b) => a.generation - b.generation || a.no - b.no);

export const severalGenerations = (attempts: readonly Numbered[]): boolean =>
  new Set(attempts.map(({ generation }) => generation)).size > 1;

/** The attempt that an address names; else the latest. */
export function chosenAttempt(node: Pick<NodeView, "attempts">, wanted: string | null): AttemptView | null {
  const ordered = inOrder(node.attempts);
  return ordered.find((attempt) => attemptKey(attempt) === wanted) ?? ordered.at(-1) ?? null;
}

/** Since when a node is in the state in which it is. */
export function stateSince(node: Pick<NodeView, "state" | "times" | "attempts">): Date | null {
  const { queuedAt, startedAt, endedAt } = node.times;
  switch (node.state) {
    case "PENDING":
      return null;
    case "QUEUED":
      return queuedAt;
    case "RUNNING":
    case "AWAITING_APPROVAL":
      return startedAt ?? queuedAt;
    case "RETRYING":
      return inOrder(node.attempts).at(-1)?.times.committedAt ?? startedAt;
    case "MANUAL_REVIEW":
    case "SUCCESS":
    case "FAILED":
    case "TIMEOUT":
    case "CANCELED":
    case "SKIPPED":
      return endedAt;
  }
}
