import { z } from "zod";
import type { RunEvent } from "@/server/domain/run/model";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { type Intervened, intervene, reasonSchema } from "@/server/engine/runs/intervention";
import type { OpenRun } from "@/server/engine/runs/open-run";
import { type DeadLetter, letterIsStale } from "./letter-view";
import { findLetter } from "./load-dead-letter";

export const letterActSchema = z.strictObject({ id: z.uuid(), reason: reasonSchema });
export type LetterAct = z.input<typeof letterActSchema>;

export interface LetterDeed {
  readonly verb: "letter.release" | "letter.discard";
  readonly event: RunEvent & { readonly key: string };
  readonly revives: boolean;
}

/** A letter that waits, as somebody sees it who may act on it. */
export async function openLetter(ctx: Ctx, id: string): Promise<DeadLetter> {
  const letter = await findLetter(ctx, id);
  authorise(ctx, letter.projectId, "run.intervene");
  if (letter.closed) throw letterIsStale(letter);
  return letter;
}

/**
 * Decides on the node of a letter under its run's lock, with the audit row in the same commit; the event closes the letter.
 * Two people who press at once: the second finds a node that has moved, and is told so.
 */
export async function actOnLetter(ctx: Ctx, letter: DeadLetter, reason: string, deed: LetterDeed): Promise<Intervened> {
  return intervene(ctx, {
    verb: deed.verb,
    input: { runId: letter.run.id, key: letter.node.key, reason },
    restarts: deed.revives,
    revives: deed.revives,
    details: { deadLetter: letter.id, cause: letter.cause },
    eventOf: (open) => {
      if (hasMoved(open, letter)) throw letterIsStale(letter);
      return deed.event;
    },
  });
}

function hasMoved({ facts }: OpenRun, { node: { key, state }, generation, attemptNo, cause }: DeadLetter): boolean {
  const node = facts.nodes.get(key);
  const expected = cause === "undecidable" ? state : "MANUAL_REVIEW";
  return node?.state !== expected || node.generation !== generation || node.attemptNo !== attemptNo;
}
