import { codeFilterSchema, listCodes } from "@/server/engine/codes/list-codes";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(codeFilterSchema)
  .query(({ ctx, input }) => listCodes(ctx, input));
