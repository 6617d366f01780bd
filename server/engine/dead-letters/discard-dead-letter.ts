import { parseInput } from "@/server/domain/input";
import type { Ctx } from "@/server/engine/context";
import { actOnLetter, type LetterAct, letterActSchema, openLetter } from "./act-on-letter";

/** Gives a dead letter up: its node is cancelled, and its run goes on as after any node that was. */
export async function discardDeadLetter(ctx: Ctx, given: LetterAct): Promise<{ id: string }> {
  const { id, reason } = parseInput(letterActSchema, given);
  const letter = await openLetter(ctx, id);
  await actOnLetter(ctx, letter, reason, {
    verb: "letter.discard",
    event: { kind: "cancelNode", key: letter.node.key },
    revives: false,
  });
  return { id };
}
