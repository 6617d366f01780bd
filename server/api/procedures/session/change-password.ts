import { changePassword, changePasswordSchema } from "@/server/engine/access/change-password";
import { permitted } from "../../trpc";

export const changePasswordProcedure = permitted("signed-in")
  .input(changePasswordSchema)
  .mutation(({ ctx, input }) => changePassword(ctx, input));
