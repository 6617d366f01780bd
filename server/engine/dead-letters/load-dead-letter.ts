import { and, asc, eq } from "drizzle-orm";
import { z } from "zod";
import { deadLetters } from "@/db/schema/dead-letters";
import { attempts } from "@/db/schema/runs";
import { roleIn } from "@/server/domain/access/roles";
import { parseInput } from "@/server/domain/input";
import type { AttemptOutcome } from "@/server/domain/run/states";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type DeadLetter, letterNotFound, letterView, selectLetters } from "./letter-view";

export const letterPlaceSchema = z.strictObject({ id: z.uuid() });

export interface LetterAttempt {
  readonly no: number;
  readonly outcome: AttemptOutcome | null;
  readonly workerId: string | null;
  readonly dispatchedAt: Date;
  readonly committedAt: Date | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface DeadLetterDetails extends DeadLetter {
  /** The attempts that brought it here, in order. */
  readonly attempts: readonly LetterAttempt[];
}

/** One dead letter with what led to it. */
export async function loadDeadLetter(ctx: Ctx, given: z.input<typeof letterPlaceSchema>): Promise<DeadLetterDetails> {
  const { id } = parseInput(letterPlaceSchema, given);
  const letter = await findLetter(ctx, id);
  authorise(ctx, letter.projectId, "project.read");
  const tried = await ctx.db
    .select()
    .from(attempts)
    .where(and(eq(attempts.runId, letter.run.id), eq(attempts.nodeKey, letter.node.key), eq(attempts.generation, letter.generation)))
    .orderBy(asc(attempts.no));
  return {
    ...letter,
    attempts: tried.map(({ no, outcome, workerId, dispatchedAt, committedAt, errorCode, errorMessage }) => ({
      no,
      outcome: outcome as AttemptOutcome | null,
      workerId,
      dispatchedAt,
      committedAt,
      error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? "" },
    })),
  };
}

/** A letter of a project that the caller may see; for anyone else it does not exist. */
export async function findLetter(ctx: Ctx, id: string): Promise<DeadLetter> {
  refuseAnonymous(ctx);
  const [row] = await selectLetters(ctx.db).where(eq(deadLetters.id, id));
  if (!row || roleIn(ctx.principal, row.letter.projectId) === null) throw letterNotFound(id);
  return letterView(row);
}
