import { z } from "zod";
import { listSecrets } from "@/server/engine/secrets/list-secrets";
import { permitted } from "../../trpc";

export const list = permitted("project.read")
  .input(z.strictObject({ projectId: z.uuid() }))
  .query(({ ctx, input }) => listSecrets(ctx, input.projectId));
