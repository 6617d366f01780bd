import { z } from "zod";
import { listTokens } from "@/server/engine/access/list-tokens";
import { permitted } from "../../trpc";

export const list = permitted("token.manage")
  .input(z.strictObject({ projectId: z.uuid() }))
  .query(({ ctx, input }) => listTokens(ctx, input));
