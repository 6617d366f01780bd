import { deletePool, deletePoolSchema } from "@/server/engine/pools/delete-pool";
import { permitted } from "../../trpc";

export const remove = permitted("pool.manage")
  .input(deletePoolSchema)
  .mutation(({ ctx, input }) => deletePool(ctx, input));
