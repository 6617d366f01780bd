import { setSecret, setSecretSchema } from "@/server/engine/secrets/set-secret";
import { permitted } from "../../trpc";

export const set = permitted("secret.manage")
  .input(setSecretSchema)
  .mutation(({ ctx, input }) => setSecret(ctx, input));
