import { createProject, createProjectSchema } from "@/server/engine/projects/create-project";
import { permitted } from "../../trpc";

export const create = permitted("administrator")
  .input(createProjectSchema)
  .mutation(({ ctx, input }) => createProject(ctx, input));
