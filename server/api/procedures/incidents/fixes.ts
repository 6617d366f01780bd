import { fixesOf, fixesOfSchema } from "@/server/engine/incidents/list-fixes";
import { permitted } from "../../trpc";

export const fixes = permitted("project.read")
  .input(fixesOfSchema)
  .query(({ ctx, input }) => fixesOf(ctx, input));
