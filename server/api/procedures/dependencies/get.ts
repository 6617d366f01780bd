import { dependencyPlaceSchema, loadDependency } from "@/server/engine/dependencies/load-dependency";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(dependencyPlaceSchema)
  .query(({ ctx, input }) => loadDependency(ctx, input));
