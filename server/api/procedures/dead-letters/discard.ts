import { letterActSchema } from "@/server/engine/dead-letters/act-on-letter";
import { discardDeadLetter } from "@/server/engine/dead-letters/discard-dead-letter";
import { permitted } from "../../trpc";

export const discard = permitted("run.intervene")
  .input(letterActSchema)
  .mutation(({ ctx, input }) => discardDeadLetter(ctx, input));
