import { type Change, watchChanges, watchChangesSchema } from "@/server/engine/live/watch-changes";
import { permitted } from "../../trpc";

/** A stream that says when to ask again; it ends with the request, and when the process stops. */
export const changes = permitted("project.read")
  .input(watchChangesSchema)
  .subscription(async function* ({ ctx, input, signal }): AsyncGenerator<Change, void> {
    const { stopping } = ctx.world;
    yield* watchChanges(ctx, input, AbortSignal.any([stopping, ...(signal ? [signal] : [])]));
    // A stream that returns is over for good; one that breaks off is opened again by the page, at the next process.
    stopping.throwIfAborted();
  });
