import { letterPlaceSchema, loadDeadLetter } from "@/server/engine/dead-letters/load-dead-letter";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(letterPlaceSchema)
  .query(({ ctx, input }) => loadDeadLetter(ctx, input));
