import { z } from "zod";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export const watchChangesSchema = z.strictObject({ projectId: z.uuid() });

export interface Change {
  readonly projectId: string;
  readonly at: Date;
  /** `open` and `gap`: what happened before was not heard, so all that is shown should be asked again. */
  readonly kind: "open" | "changed" | "gap";
}

/** Tells that something of a project changed, for as long as the signal allows; what changed is for the reader to ask. */
export async function* watchChanges(ctx: Ctx, raw: z.input<typeof watchChangesSchema>, signal: AbortSignal): AsyncGenerator<Change, void> {
  const { projectId } = parseInput(watchChangesSchema, raw);
  authorise(ctx, projectId, "project.read");
  let waiting: Change["kind"] | null = "open";
  let wake = () => {};
  const say = (kind: Change["kind"]) => {
    // Many changes between two reads are one; a gap is said even if changes came with it.
    waiting = waiting === "gap" ? waiting : kind;
    wake();
  };
  const ended = () => wake();
  signal.addEventListener("abort", ended);
  const feed = await ctx.ports.live.subscribe(
    (changed) => {
      if (changed === projectId) say("changed");
    },
    () => say("gap"),
  );
  try {
    while (!signal.aborted) {
      if (waiting === null) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const kind: Change["kind"] = waiting;
      waiting = null;
      yield { projectId, at: ctx.clock.now(), kind };
    }
  } finally {
    signal.removeEventListener("abort", ended);
    await feed.close();
  }
}
