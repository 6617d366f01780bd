import { removeHost, removeHostSchema } from "@/server/engine/hosts/remove-host";
import { permitted } from "../../trpc";

export const remove = permitted("host.manage")
  .input(removeHostSchema)
  .mutation(({ ctx, input }) => removeHost(ctx, input));
