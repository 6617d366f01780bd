import { listSilences, silenceFilterSchema } from "@/server/engine/alerts/silences";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(silenceFilterSchema)
  .query(({ ctx, input }) => listSilences(ctx, input));
