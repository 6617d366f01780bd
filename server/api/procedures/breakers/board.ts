import { boardSchema, loadBoard } from "@/server/engine/breaker/load-board";
import { permitted } from "../../trpc";

export const board = permitted("signed-in")
  .input(boardSchema)
  .query(({ ctx, input }) => loadBoard(ctx, input));
