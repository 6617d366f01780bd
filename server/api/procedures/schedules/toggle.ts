import { toggleSchedule, toggleScheduleSchema } from "@/server/engine/schedules/toggle-schedule";
import { permitted } from "../../trpc";

export const toggle = permitted("schedule.toggle")
  .input(toggleScheduleSchema)
  .mutation(({ ctx, input }) => toggleSchedule(ctx, input));
