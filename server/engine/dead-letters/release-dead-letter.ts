import { and, eq, isNull } from "drizzle-orm";
import { deadLetters } from "@/db/schema/dead-letters";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNowSql } from "@/server/engine/stored-clock";
import { actOnLetter, type LetterAct, letterActSchema, openLetter } from "./act-on-letter";
import { type DeadLetter, letterIsStale } from "./letter-view";

/** Runs the node of a dead letter again, with a fresh budget and under the same execution. */
export async function releaseDeadLetter(ctx: Ctx, given: LetterAct): Promise<{ id: string }> {
  const { id, reason } = parseInput(letterActSchema, given);
  const letter = await openLetter(ctx, id);
  if (letter.cause === "undecidable") await closeUndecided(ctx, letter, reason);
  else {
    const event = { kind: "retryNode", key: letter.node.key } as const;
    await actOnLetter(ctx, letter, reason, { verb: "letter.release", event, revives: true });
  }
  return { id };
}

/** The engine itself tries again what it could not decide on; where that fails once more the letter is opened anew. */
async function closeUndecided(ctx: Ctx, letter: DeadLetter, reason: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const closed = await tx
      .update(deadLetters)
      .set({ closedAt: storedNowSql(ctx), closedAs: "released", closedBy: { ...actorOf(ctx.principal) }, closedReason: reason })
      .where(and(eq(deadLetters.id, letter.id), isNull(deadLetters.closedAt)))
      .returning({ id: deadLetters.id });
    if (closed.length === 0) throw letterIsStale(letter);
    await writeAudit(tx, ctx, {
      projectId: letter.projectId,
      verb: "letter.release",
      object: { kind: "run", id: letter.run.id, label: letter.pipeline.name },
      reason,
      before: { node: letter.node.key, nodeState: letter.node.state },
      after: { deadLetter: letter.id, cause: letter.cause },
    });
  });
}
