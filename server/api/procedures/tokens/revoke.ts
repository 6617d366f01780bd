import { revokeToken, revokeTokenSchema } from "@/server/engine/access/revoke-token";
import { permitted } from "../../trpc";

export const revoke = permitted("token.manage")
  .input(revokeTokenSchema)
  .mutation(({ ctx, input }) => revokeToken(ctx, input));
