import { adviceOfNodeSchema, adviseNode } from "@/server/engine/advice/advise";
import { permitted } from "../../trpc";

export const node = permitted("project.read")
  .input(adviceOfNodeSchema)
  .query(({ ctx, input }) => adviseNode(ctx, input));
