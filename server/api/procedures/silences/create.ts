import { createSilence, createSilenceSchema } from "@/server/engine/alerts/silences";
import { permitted } from "../../trpc";

export const create = permitted("alert.handle")
  .input(createSilenceSchema)
  .mutation(({ ctx, input }) => createSilence(ctx, input));
