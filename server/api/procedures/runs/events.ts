import { listRunEvents, runEventsFilterSchema } from "@/server/engine/runs/run-events";
import { permitted } from "../../trpc";

export const events = permitted("project.read")
  .input(runEventsFilterSchema)
  .query(({ ctx, input }) => listRunEvents(ctx, input));
