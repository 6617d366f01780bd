import { letterActSchema } from "@/server/engine/dead-letters/act-on-letter";
import { releaseDeadLetter } from "@/server/engine/dead-letters/release-dead-letter";
import { permitted } from "../../trpc";

export const release = permitted("run.intervene")
  .input(letterActSchema)
  .mutation(({ ctx, input }) => releaseDeadLetter(ctx, input));
