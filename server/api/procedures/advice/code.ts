import { adviceOfCodeSchema, adviseCode } from "@/server/engine/advice/advise";
import { permitted } from "../../trpc";

export const code = permitted("project.read")
  .input(adviceOfCodeSchema)
  .query(({ ctx, input }) => adviseCode(ctx, input));
