import { acknowledgeAlert, acknowledgeAlertSchema } from "@/server/engine/alerts/act-on-alert";
import { permitted } from "../../trpc";

export const acknowledge = permitted("alert.handle")
  .input(acknowledgeAlertSchema)
  .mutation(({ ctx, input }) => acknowledgeAlert(ctx, input));
