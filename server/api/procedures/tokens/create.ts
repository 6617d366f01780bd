import { createToken, createTokenSchema } from "@/server/engine/access/create-token";
import { permitted } from "../../trpc";

export const create = permitted("token.manage")
  .input(createTokenSchema)
  .mutation(({ ctx, input }) => createToken(ctx, input));
