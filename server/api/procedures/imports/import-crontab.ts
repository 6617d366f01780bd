import { importCrontab, importCrontabSchema } from "@/server/engine/imports/import-crontab";
import { permitted } from "../../trpc";

export const importCrontabProcedure = permitted("pipeline.import")
  .input(importCrontabSchema)
  .mutation(({ ctx, input }) => importCrontab(ctx, input));
