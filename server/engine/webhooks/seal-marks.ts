import { sql } from "drizzle-orm";
import type { Db, Tx } from "@/db/client";
import { busMarks } from "@/db/schema/webhooks";

/** Up to which ids the sources can be read. */
export interface Marks {
  readonly run: number;
  readonly bus: number;
}

interface Looked {
  readonly run: number;
  readonly bus: number;
  /** Of transactions: all below are over; none at or above had begun. */
  readonly open: number;
  readonly next: number;
}

/**
 * How far the sequences have got, and then which transactions are open: in this order, since an id is drawn by a transaction that
 * has written before, so all that have drawn one by now are known to the second look.
 */
export async function lookAtSources(db: Db): Promise<Looked> {
  const [drawn] = await db.execute<{ run: string; bus: string }>(sql`
    select r.last_value as run, b.last_value as bus from run_event_ids r, bus_events_id_seq b
  `);
  const [open] = await db.execute<{ open: string; next: string }>(sql`
    select pg_snapshot_xmin(s) as open, pg_snapshot_xmax(s) as next from pg_current_snapshot() s
  `);
  return { run: Number(drawn?.run), bus: Number(drawn?.bus), open: Number(open?.open), next: Number(open?.next) };
}

/** Moves the marks as far as the look allows, and answers with them. */
export async function sealMarks(tx: Tx, looked: Looked): Promise<Marks> {
  const known = await tx.select().from(busMarks).for("update");
  const sealedOf = async (source: "run" | "bus", drawn: number): Promise<number> => {
    const before = known.find((mark) => mark.source === source);
    // A mark from a database that this one was restored from says nothing about the transactions of this one.
    const isForeign = before !== undefined && before.pendingXid > looked.next;
    const isOver = before !== undefined && !isForeign && before.pendingXid <= looked.open;
    if (before && !isOver && !isForeign) return before.sealed;
    // Where nobody is at work, all that was drawn is there.
    const sealed = looked.open >= looked.next ? drawn : isOver ? before.pending : (before?.sealed ?? 0);
    const set = { sealed, pending: Math.max(drawn, sealed), pendingXid: looked.next };
    await tx
      .insert(busMarks)
      .values({ source, ...set })
      .onConflictDoUpdate({ target: busMarks.source, set });
    return sealed;
  };
  return { run: await sealedOf("run", looked.run), bus: await sealedOf("bus", looked.bus) };
}
