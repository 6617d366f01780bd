import { sql } from "drizzle-orm";
import type { Tx } from "../client";
import { audit } from "../schema/platform";
import { prepared } from "./prepared";
import { recordsIn, recordsOf } from "./records";

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
  /** The database's time once the head was had, so that the times of a chain go up with its numbers. */
  readonly at: Date;
}

const lock = prepared<{ seq: string; hash: string; at_ms: number }, { scope: string; genesis: string; at: string | null }>(
  (value) => sql`
    insert into audit_heads (scope, seq, hash) values (${value("scope")}, 0, ${value("genesis")})
    on conflict (scope) do update set scope = excluded.scope
    returning seq, hash,
      (extract(epoch from coalesce(${value("at")}::timestamptz, date_trunc('milliseconds', clock_timestamp()))) * 1000)::float8 as at_ms
  `,
);

/** Locks the end of a chain until the commit, and makes it where there is none. `at` is given where time is set by hand. */
export async function lockAuditHead(tx: Tx, scope: string, genesis: string, at: Date | undefined): Promise<AuditHead> {
  const [head] = await lock(tx, { scope, genesis, at: at?.toISOString() ?? null });
  if (!head) throw new Error(`the head of audit chain ${scope} was neither made nor found`);
  return { seq: Number(head.seq), hash: head.hash, at: new Date(Math.round(head.at_ms)) };
}

export interface AuditLinks {
  readonly scope: string;
  /** Of the last of the rows: the chain's new head. */
  readonly seq: number;
  readonly hash: string;
  readonly rows: readonly (typeof audit.$inferSelect)[];
}

const append = prepared<object, { rows: string; seq: number; hash: string; scope: string }>(
  (value) => sql`
    with added as (
      insert into audit ${recordsIn(audit, value("rows"))}
    )
    update audit_heads set seq = ${value("seq")}, hash = ${value("hash")} where scope = ${value("scope")}
  `,
);

/** Rows of one chain and its new head, in one statement. The caller holds the lock of the head. */
export async function appendAudit(tx: Tx, { scope, seq, hash, rows }: AuditLinks): Promise<void> {
  await append(tx, { scope, seq, hash, rows: recordsOf(audit, rows) });
}
