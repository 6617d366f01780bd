import { alertPlaceSchema, loadAlert } from "@/server/engine/alerts/list-alerts";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(alertPlaceSchema)
  .query(({ ctx, input }) => loadAlert(ctx, input));
