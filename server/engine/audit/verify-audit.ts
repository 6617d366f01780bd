import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { audit, auditHeads } from "@/db/schema/platform";
import { authorise, authorisePlatform } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { auditScope, entryHash, GENESIS_HASH } from "./entry-hash";

export type AuditVerdict =
  | { readonly kind: "intact"; readonly rows: number; readonly upTo: Date | null; readonly hash: string }
  | { readonly kind: "broken"; readonly seq: number; readonly reason: string };

const BATCH = 1_000;

/** Walks the chain of a project (or of the installation) and names the first row that was changed, removed or moved. */
export async function verifyAudit(ctx: Ctx, input: { projectId: string | null }): Promise<AuditVerdict> {
  if (input.projectId === null) authorisePlatform(ctx);
  else authorise(ctx, input.projectId, "audit.read");
  // The head is read first: rows that come while the walk goes on are beyond it and count as not yet checked.
  const [head] = await ctx.db
    .select()
    .from(auditHeads)
    .where(eq(auditHeads.scope, auditScope(input.projectId)));
  const end = { seq: head?.seq ?? 0, hash: head?.hash ?? GENESIS_HASH };
  let at = { seq: 0, hash: GENESIS_HASH, time: null as Date | null };
  while (at.seq < end.seq) {
    const rows = await readAfter(ctx, input.projectId, at.seq, Math.min(BATCH, end.seq - at.seq));
    if (rows.length === 0) break;
    for (const row of rows) {
      const reason = brokenAt(row, at);
      if (reason) return { kind: "broken", seq: at.seq + 1, reason };
      at = { seq: row.seq, hash: row.hash, time: row.at };
    }
  }
  if (at.seq < end.seq)
    return { kind: "broken", seq: at.seq + 1, reason: `the chain ends at row ${at.seq}, its head says ${end.seq}: rows were removed` };
  if (at.hash !== end.hash) return { kind: "broken", seq: at.seq, reason: "the head of the chain does not fit its last row" };
  return { kind: "intact", rows: at.seq, upTo: at.time, hash: at.hash };
}

const readAfter = (ctx: Ctx, projectId: string | null, seq: number, limit: number) =>
  ctx.db
    .select()
    .from(audit)
    .where(and(projectId === null ? isNull(audit.projectId) : eq(audit.projectId, projectId), gt(audit.seq, seq)))
    .orderBy(asc(audit.seq))
    .limit(limit);

function brokenAt(row: typeof audit.$inferSelect, before: { seq: number; hash: string }): string | null {
  if (row.seq !== before.seq + 1) return `row ${before.seq + 1} is missing or stands elsewhere`;
  if (row.prevHash !== before.hash) return `row ${row.seq} does not follow the row before it`;
  if (entryHash(row) !== row.hash) return `row ${row.seq} was changed after it was written`;
  return null;
}
