import type { Tx } from "@/db/client";
import type { audit } from "@/db/schema/platform";
import { appendAudit, lockAuditHead } from "@/db/statements/append-audit";
import { masked } from "@/server/domain/access/masked";
import { plainJson } from "@/server/domain/canonical-json";
import { actorOf, type Ctx } from "@/server/engine/context";
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

type AuditCtx = Pick<Ctx, "clock" | "ids" | "principal" | "source">;

export interface AuditDeed {
  readonly ctx: AuditCtx;
  readonly entry: AuditEntry;
}

/**
 * Appends one row to the chain of a project, in the transaction of the change that it tells of (AUD-2). It locks the
 * chain's head until the commit, so call it last: after the rows of runs and nodes are locked, never before.
 */
export async function writeAudit(tx: Tx, ctx: AuditCtx, entry: AuditEntry): Promise<{ id: string }> {
  const [written] = await writeAudits(tx, [{ ctx, entry }]);
  if (!written) throw new Error("an audit row was not written");
  return written;
}

/** The same for several deeds of one transaction, in their order; every chain is locked once, in the order of the scopes. */
export async function writeAudits(tx: Tx, deeds: readonly AuditDeed[]): Promise<{ id: string }[]> {
  const ids = new Map<AuditDeed, { id: string }>();
  for (const scope of [...new Set(deeds.map(({ entry }) => auditScope(entry.projectId)))].sort()) {
    const own = deeds.filter(({ entry }) => auditScope(entry.projectId) === scope);
    const rows = await appendTo(tx, scope, own);
    for (const [index, deed] of own.entries()) ids.set(deed, { id: rows[index] ?? "" });
  }
  return deeds.flatMap((deed) => ids.get(deed) ?? []);
}

async function appendTo(tx: Tx, scope: string, deeds: readonly AuditDeed[]): Promise<string[]> {
  const [first] = deeds;
  if (!first) return [];
  const head = await lockAuditHead(tx, scope, GENESIS_HASH, first.ctx.clock.database?.());
  const rows: (typeof audit.$inferSelect)[] = [];
  let { seq, hash } = head;
  for (const { ctx, entry } of deeds) {
    const row = rowOf(ctx, entry, { seq: seq + 1, at: head.at, prevHash: hash });
    rows.push(row);
    ({ seq, hash } = row);
  }
  await appendAudit(tx, { scope, seq, hash, rows });
  return rows.map((row) => row.id);
}

function rowOf(ctx: AuditCtx, entry: AuditEntry, link: { seq: number; at: Date; prevHash: string }): typeof audit.$inferSelect {
  const actor = actorOf(ctx.principal);
  const row = {
    id: ctx.ids.uuid(link.at),
    projectId: entry.projectId,
    ...link,
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
  };
  return { ...row, hash: entryHash(row) };
}

const text = (value: string): string => String(plainJson(value));

const stored = (value: unknown): unknown => (value === undefined || value === null ? null : plainJson(masked(value)));
