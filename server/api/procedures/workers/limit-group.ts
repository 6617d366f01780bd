import { setGroupLimit, setGroupLimitSchema } from "@/server/engine/pools/set-group-limit";
import { permitted } from "../../trpc";

export const limitGroup = permitted("administrator")
  .input(setGroupLimitSchema)
  .mutation(({ ctx, input }) => setGroupLimit(ctx, input));
