import { boundPlaceSchema, loadBound } from "@/server/engine/valves/failure-bound";
import { permitted } from "../../trpc";

export const bound = permitted("project.read")
  .input(boundPlaceSchema)
  .query(({ ctx, input }) => loadBound(ctx, input));
