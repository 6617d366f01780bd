import { causePlaceSchema, loadCause } from "@/server/engine/root-causes/load-cause";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(causePlaceSchema)
  .query(({ ctx, input }) => loadCause(ctx, input));
