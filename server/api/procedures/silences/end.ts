import { endSilence, silencePlaceSchema } from "@/server/engine/alerts/silences";
import { permitted } from "../../trpc";

export const end = permitted("alert.handle")
  .input(silencePlaceSchema)
  .mutation(({ ctx, input }) => endSilence(ctx, input));
