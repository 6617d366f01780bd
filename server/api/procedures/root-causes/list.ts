import { causeFilterSchema, listCauses } from "@/server/engine/root-causes/list-causes";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(causeFilterSchema)
  .query(({ ctx, input }) => listCauses(ctx, input));
