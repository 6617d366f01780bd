import { acknowledgeAlert } from "@/server/engine/alerts/act-on-alert";
import { alertPlaceSchema } from "@/server/engine/alerts/list-alerts";
import { permitted } from "../../trpc";

export const acknowledge = permitted("alert.handle")
  .input(alertPlaceSchema)
  .mutation(({ ctx, input }) => acknowledgeAlert(ctx, input));
