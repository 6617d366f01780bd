import { noiseFilterSchema, noiseLedger } from "@/server/engine/alerts/noise-ledger";
import { permitted } from "../../trpc";

export const noise = permitted("project.read")
  .input(noiseFilterSchema)
  .query(({ ctx, input }) => noiseLedger(ctx, input));
