import { heldNodesSchema, listHeldNodes } from "@/server/engine/valves/list-valves";
import { permitted } from "../../trpc";

export const held = permitted("project.read")
  .input(heldNodesSchema)
  .query(({ ctx, input }) => listHeldNodes(ctx, input));
