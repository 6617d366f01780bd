import { boundPlaceSchema } from "@/server/engine/valves/failure-bound";
import { listDeferred } from "@/server/engine/valves/list-deferred";
import { permitted } from "../../trpc";

export const deferred = permitted("project.read")
  .input(boundPlaceSchema)
  .query(({ ctx, input }) => listDeferred(ctx, input));
