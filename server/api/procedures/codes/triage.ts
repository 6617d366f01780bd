import { listTriage, triageSchema } from "@/server/engine/codes/list-triage";
import { permitted } from "../../trpc";

export const triage = permitted("project.read")
  .input(triageSchema)
  .query(({ ctx, input }) => listTriage(ctx, input));
