import { z } from "zod";
import { auditFilterSchema, listAudit } from "@/server/engine/audit/list-audit";
import { permitted } from "../../trpc";

/** Of one project, or with null of the installation. */
export const list = permitted("audit.read")
  .input(auditFilterSchema.extend({ projectId: z.uuid().nullable() }))
  .query(({ ctx, input }) => listAudit(ctx, input));
