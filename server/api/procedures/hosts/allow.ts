import { allowHost, allowHostSchema } from "@/server/engine/hosts/allow-host";
import { permitted } from "../../trpc";

export const allow = permitted("host.manage")
  .input(allowHostSchema)
  .mutation(({ ctx, input }) => allowHost(ctx, input));
