import { resolveAlert, resolveAlertSchema } from "@/server/engine/alerts/act-on-alert";
import { permitted } from "../../trpc";

export const resolve = permitted("alert.handle")
  .input(resolveAlertSchema)
  .mutation(({ ctx, input }) => resolveAlert(ctx, input));
