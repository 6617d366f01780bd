import { incidentOwnersSchema, listOwners } from "@/server/engine/incidents/owners";
import { permitted } from "../../trpc";

export const owners = permitted("project.read")
  .input(incidentOwnersSchema)
  .query(({ ctx, input }) => listOwners(ctx, input));
