import { loadTimeline, timelineSchema } from "@/server/engine/incidents/load-timeline";
import { permitted } from "../../trpc";

export const timeline = permitted("project.read")
  .input(timelineSchema)
  .query(({ ctx, input }) => loadTimeline(ctx, input));
