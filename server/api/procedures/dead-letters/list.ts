import { letterFilterSchema, listDeadLetters } from "@/server/engine/dead-letters/list-dead-letters";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(letterFilterSchema)
  .query(({ ctx, input }) => listDeadLetters(ctx, input));
