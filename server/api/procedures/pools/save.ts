import { savePool, savePoolSchema } from "@/server/engine/pools/save-pool";
import { permitted } from "../../trpc";

export const save = permitted("pool.manage")
  .input(savePoolSchema)
  .mutation(({ ctx, input }) => savePool(ctx, input));
