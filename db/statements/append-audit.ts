import { sql } from "drizzle-orm";
import type { Tx } from "../client";
import { audit } from "../schema/platform";
import { recordsOf } from "./records";

export interface AuditLinks {
  readonly scope: string;
  /** Of the last of the rows: the chain's new head. */
  readonly seq: number;
  readonly hash: string;
  readonly rows: readonly (typeof audit.$inferSelect)[];
}

/** Rows of one chain and its new head, in one statement. The caller holds the lock of the head. */
export async function appendAudit(tx: Tx, { scope, seq, hash, rows }: AuditLinks): Promise<void> {
  await tx.execute(sql`
    with added as (
      insert into audit select * from jsonb_populate_recordset(null::audit, ${JSON.stringify(recordsOf(audit, rows))}::jsonb)
    )
    update audit_heads set seq = ${seq}, hash = ${hash} where scope = ${scope}
  `);
}
