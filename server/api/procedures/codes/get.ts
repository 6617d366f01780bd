import { loadCode, loadCodeSchema } from "@/server/engine/codes/load-code";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(loadCodeSchema)
  .query(({ ctx, input }) => loadCode(ctx, input));
