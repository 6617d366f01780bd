import { watchChanges, watchChangesSchema } from "@/server/engine/live/watch-changes";
import { permitted } from "../../trpc";

/** A stream that says when to ask again; it ends with the request, and when the process stops. */
export const changes = permitted("project.read")
  .input(watchChangesSchema)
  .subscription(({ ctx, input, signal }) => watchChanges(ctx, input, AbortSignal.any([ctx.world.stopping, ...(signal ? [signal] : [])])));
