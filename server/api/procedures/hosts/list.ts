import { z } from "zod";
import { listHosts } from "@/server/engine/hosts/list-hosts";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(z.strictObject({ projectId: z.uuid() }))
  .query(({ ctx, input }) => listHosts(ctx, input.projectId));
