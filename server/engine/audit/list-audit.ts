import { and, desc, eq, gte, isNull, like, lt } from "drizzle-orm";
import { z } from "zod";
import { audit } from "@/db/schema/platform";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise, authorisePlatform } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

/** The place in the chain of the last row of the page before. */
const seqCursorSchema = z.string().regex(/^\d{1,15}$/, { error: "not a cursor; hand back the nextCursor of the page before" });

export const auditFilterSchema = z.strictObject({
  actor: z.string().min(1).max(200).optional(),
  /** A verb such as `run.cancel`, or a noun such as `run` for all of its verbs. */
  verb: z
    .string()
    .max(64)
    .regex(/^[a-z_]+(?:\.[a-zA-Z_]+)?$/, { error: "write a verb such as run.cancel, or a noun such as run" })
    .optional(),
  objectKind: z.string().min(1).max(64).optional(),
  objectId: z.string().min(1).max(200).optional(),
  from: z.date().optional(),
  to: z.date().optional(),
  cursor: seqCursorSchema.optional(),
  limit: pageLimitSchema,
});
export type AuditFilter = z.input<typeof auditFilterSchema>;

export interface AuditRow {
  readonly id: string;
  readonly seq: number;
  readonly at: Date;
  readonly actor: { readonly kind: string; readonly id: string; readonly label: string };
  readonly verb: string;
  readonly object: { readonly kind: string; readonly id: string; readonly label: string };
  readonly reason: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly source: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  readonly hash: string;
}

/** Who did what, newest first: of one project, or of the installation where `projectId` is null. */
export async function listAudit(ctx: Ctx, input: { projectId: string | null } & AuditFilter): Promise<Page<AuditRow>> {
  if (input.projectId === null) authorisePlatform(ctx);
  else authorise(ctx, input.projectId, "audit.read");
  const { projectId, ...rest } = input;
  const filter = parseInput(auditFilterSchema, rest);
  const rows = await ctx.db
    .select()
    .from(audit)
    .where(
      and(
        projectId === null ? isNull(audit.projectId) : eq(audit.projectId, projectId),
        filter.actor ? eq(audit.actorId, filter.actor) : undefined,
        filter.verb ? (filter.verb.includes(".") ? eq(audit.verb, filter.verb) : like(audit.verb, `${filter.verb}.%`)) : undefined,
        filter.objectKind ? eq(audit.objectKind, filter.objectKind) : undefined,
        filter.objectId ? eq(audit.objectId, filter.objectId) : undefined,
        filter.from ? gte(audit.at, filter.from) : undefined,
        filter.to ? lt(audit.at, filter.to) : undefined,
        filter.cursor === undefined ? undefined : lt(audit.seq, Number(filter.cursor)),
      ),
    )
    .orderBy(desc(audit.seq))
    .limit(filter.limit + 1);
  return pageOf(rows, filter.limit, (row) => String(row.seq), toAuditRow);
}

function toAuditRow(row: typeof audit.$inferSelect): AuditRow {
  return {
    id: row.id,
    seq: row.seq,
    at: row.at,
    actor: { kind: row.actorKind, id: row.actorId, label: row.actorLabel },
    verb: row.verb,
    object: { kind: row.objectKind, id: row.objectId, label: row.objectLabel },
    reason: row.reason,
    before: row.before,
    after: row.after,
    source: row.source,
    requestId: row.requestId,
    hash: row.hash,
  };
}
