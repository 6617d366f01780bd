import { and, eq } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { deadLetters } from "@/db/schema/dead-letters";
import { pipelines } from "@/db/schema/pipelines";
import { nodeRuns, runs } from "@/db/schema/runs";
import { DomainError } from "@/server/domain/failure";
import type { Actor } from "@/server/domain/run/model";
import type { NodeState, RunState } from "@/server/domain/run/states";

/** `lost`: its worker was lost again and again. `died`: it takes along what runs it. `undecidable`: the engine cannot go on with it. */
export const LETTER_CAUSES = ["lost", "died", "undecidable"] as const;
export type LetterCause = (typeof LETTER_CAUSES)[number];

/** How it was closed: run again, given up, or moved on otherwise (skipped, marked as success, put right). */
export const LETTER_ENDS = ["released", "discarded", "moved"] as const;
export type LetterEnd = (typeof LETTER_ENDS)[number];

export interface DeadLetter {
  readonly id: string;
  readonly projectId: string;
  readonly pipeline: { readonly id: string; readonly name: string; readonly title: string };
  readonly run: { readonly id: string; readonly state: RunState; readonly seq: number };
  readonly node: { readonly key: string; readonly type: string; readonly group: string; readonly state: NodeState };
  readonly generation: number;
  readonly attemptNo: number;
  readonly cause: LetterCause;
  /** In words: why it is here. */
  readonly why: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly at: Date;
  /** Null while it waits for a person. */
  readonly closed: { readonly at: Date; readonly as: LetterEnd; readonly by: Actor | null; readonly reason: string | null } | null;
}

/** Letters with what is beside them: the run and the node as they are now. */
export const selectLetters = (db: Executor) =>
  db
    .select({
      letter: deadLetters,
      pipeline: { id: pipelines.id, name: pipelines.name, title: pipelines.title },
      run: { id: runs.id, state: runs.state, seq: runs.seq },
      node: { key: nodeRuns.key, type: nodeRuns.type, group: nodeRuns.workerGroup, state: nodeRuns.state },
    })
    .from(deadLetters)
    .innerJoin(pipelines, eq(pipelines.id, deadLetters.pipelineId))
    .innerJoin(runs, eq(runs.id, deadLetters.runId))
    .innerJoin(nodeRuns, and(eq(nodeRuns.runId, deadLetters.runId), eq(nodeRuns.key, deadLetters.nodeKey)));

export type LetterRow = Awaited<ReturnType<typeof selectLetters>>[number];

export function letterView({ letter, pipeline, run, node }: LetterRow): DeadLetter {
  const { closedAt, closedAs, closedBy, closedReason } = letter;
  return {
    id: letter.id,
    projectId: letter.projectId,
    pipeline,
    run: { ...run, state: run.state as RunState },
    node: { ...node, state: node.state as NodeState },
    generation: letter.generation,
    attemptNo: letter.attemptNo,
    cause: letter.cause as LetterCause,
    why: letter.why,
    error: letter.code === null ? null : { code: letter.code, message: letter.message ?? "" },
    at: letter.at,
    closed: closedAt && { at: closedAt, as: closedAs as LetterEnd, by: closedBy as Actor | null, reason: closedReason },
  };
}

export const letterNotFound = (id: string) =>
  new DomainError("not_found", `there is no dead letter ${id}, or you have no role in its project`, { details: { id } });

/** What was decided on a letter that is closed, or whose node has moved, would be decided on something else. */
export const letterIsStale = (letter: Pick<DeadLetter, "id" | "closed">) =>
  new DomainError(
    "stale",
    letter.closed
      ? `this dead letter was ${letter.closed.as}${letter.closed.by ? ` by ${letter.closed.by.label}` : ""} at ${letter.closed.at.toISOString()}; look at its run`
      : "the node has moved on since the letter was written; look at its run",
    { details: { id: letter.id } },
  );
