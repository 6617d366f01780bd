import { dependencyFilterSchema, listDependencies } from "@/server/engine/dependencies/list-dependencies";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(dependencyFilterSchema)
  .query(({ ctx, input }) => listDependencies(ctx, input));
