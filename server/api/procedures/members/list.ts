import { z } from "zod";
import { listMembers } from "@/server/engine/access/list-members";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(z.strictObject({ projectId: z.uuid() }))
  .query(({ ctx, input }) => listMembers(ctx, input));
