import { z } from "zod";
import { verifyAudit } from "@/server/engine/audit/verify-audit";
import { permitted } from "../../trpc";

export const verify = permitted("audit.read")
  .input(z.strictObject({ projectId: z.uuid().nullable() }))
  .query(({ ctx, input }) => verifyAudit(ctx, input));
