import { z } from "zod";
import { loadHome } from "@/server/engine/health/load-home";
import { permitted } from "../../trpc";

export const get = permitted("project.read")
  .input(z.strictObject({ projectId: z.uuid() }))
  .query(({ ctx, input }) => loadHome(ctx, input.projectId));
