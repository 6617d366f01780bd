import { eq, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { audit, auditHeads } from "@/db/schema/platform";
import { masked } from "@/server/domain/access/masked";
import { plainJson } from "@/server/domain/canonical-json";
import { actorOf, type Ctx } from "@/server/engine/context";
import { storedNowSql } from "@/server/engine/stored-clock";
import { auditScope, entryHash, GENESIS_HASH } from "./entry-hash";

export interface AuditEntry {
  /** Null for what concerns the whole installation. */
  readonly projectId: string | null;
  /** `noun.verb`, such as `pipeline.publish`. */
  readonly verb: string;
  readonly object: { readonly kind: string; readonly id: string; readonly label: string };
  readonly reason?: string | null;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * Appends one row to the chain of a project, in the transaction of the change that it tells of (AUD-2). It locks the
 * chain's head until the commit, so call it last: after the rows of runs and nodes are locked, never before.
 */
export async function writeAudit(
  tx: Tx,
  ctx: Pick<Ctx, "clock" | "ids" | "principal" | "source">,
  entry: AuditEntry,
): Promise<{ id: string }> {
  const scope = auditScope(entry.projectId);
  const [head] = await tx
    .insert(auditHeads)
    .values({ scope, seq: 0, hash: GENESIS_HASH })
    .onConflictDoUpdate({ target: auditHeads.scope, set: { scope: sql`excluded.scope` } })
    .returning({ seq: auditHeads.seq, hash: auditHeads.hash, at: storedNowSql(ctx) });
  if (!head) throw new Error(`the head of audit chain ${scope} was neither made nor found`);
  // Told after the head was had, so that the times of a chain go up with its numbers.
  const { at } = head;
  const actor = actorOf(ctx.principal);
  const row = {
    id: ctx.ids.uuid(at),
    projectId: entry.projectId,
    seq: head.seq + 1,
    at,
    actorKind: actor.kind,
    actorId: text(actor.id),
    actorLabel: text(actor.label),
    verb: entry.verb,
    objectKind: entry.object.kind,
    objectId: text(entry.object.id),
    objectLabel: text(entry.object.label),
    reason: entry.reason ? text(entry.reason) : null,
    before: stored(entry.before),
    after: stored(entry.after),
    source: plainJson({ via: ctx.source.via, ip: ctx.source.ip, userAgent: ctx.source.userAgent }) as Record<string, unknown>,
    requestId: text(ctx.source.id),
    prevHash: head.hash,
  };
  const hash = entryHash(row);
  await tx.insert(audit).values({ ...row, hash });
  await tx.update(auditHeads).set({ seq: row.seq, hash }).where(eq(auditHeads.scope, scope));
  return { id: row.id };
}

const text = (value: string): string => String(plainJson(value));

const stored = (value: unknown): unknown => (value === undefined || value === null ? null : plainJson(masked(value)));
