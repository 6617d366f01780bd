import { deleteSecret, deleteSecretSchema } from "@/server/engine/secrets/delete-secret";
import { permitted } from "../../trpc";

export const remove = permitted("secret.manage")
  .input(deleteSecretSchema)
  .mutation(({ ctx, input }) => deleteSecret(ctx, input));
