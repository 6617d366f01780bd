import { crontabSourceSchema } from "@/server/engine/imports/crontab-input";
import { previewCrontabImport } from "@/server/engine/imports/preview-crontab";
import { permitted } from "../../trpc";

export const previewCrontab = permitted("pipeline.import")
  .input(crontabSourceSchema)
  .query(({ ctx, input }) => previewCrontabImport(ctx, input));
