import { fireFilterSchema } from "@/server/engine/schedules/fire-filter";
import { listFires } from "@/server/engine/schedules/list-fires";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(fireFilterSchema)
  .query(({ ctx, input }) => listFires(ctx, input));
