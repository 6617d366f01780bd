import { z } from "zod";
import { listPools } from "@/server/engine/pools/list-pools";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(z.strictObject({ projectId: z.uuid() }))
  .query(({ ctx, input }) => listPools(ctx, input.projectId));
