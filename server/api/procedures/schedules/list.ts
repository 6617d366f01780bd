import { listSchedules, scheduleFilterSchema } from "@/server/engine/schedules/list-schedules";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(scheduleFilterSchema)
  .query(({ ctx, input }) => listSchedules(ctx, input));
