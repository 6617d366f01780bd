import { listValves, valveFilterSchema } from "@/server/engine/valves/list-valves";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(valveFilterSchema)
  .query(({ ctx, input }) => listValves(ctx, input));
