import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { DomainError } from "@/server/domain/failure";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import { cancelRun } from "@/server/engine/runs/cancel-run";
import type { Recover } from "@/server/engine/runs/recover";

interface Replaced {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly newer: string;
  readonly schedule_id: string;
  readonly name: string;
}

/**
 * Tells runs to end that a newer run of their schedule replaces (overlap `cancel_previous`). What is to be done stands in
 * the tables alone, so that a crash between the newer run's commit and this loses nothing. Index: runs_live_schedule.
 */
export const cancelReplaced: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? 100;
  const rows = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    return findReplaced(tx, limit);
  });
  for (const row of rows) await cancelOne(ctx, row);
  return { count: rows.length, more: rows.length === limit };
};

async function findReplaced(tx: Tx, limit: number): Promise<Replaced[]> {
  const rows = await tx.execute<Replaced>(sql`
    select r.id, newest.id as newer, s.id as schedule_id, s.name
    from schedules s
    cross join lateral (
      select n.id, n.scheduled_at from runs n
      where n.schedule_id = s.id and n.state in ('PENDING','RUNNING','PAUSED')
      order by n.scheduled_at desc limit 1
    ) newest
    join runs r on r.schedule_id = s.id and r.state in ('PENDING','RUNNING','PAUSED')
      and r.scheduled_at < newest.scheduled_at and r.cancel_requested_at is null
    where s.overlap = 'cancel_previous' and s.removed_at is null
    limit ${limit}
  `);
  return [...rows];
}

async function cancelOne(ctx: Ctx, { id, newer, schedule_id, name }: Replaced): Promise<void> {
  const asSchedule: Ctx = { ...ctx, principal: { kind: "system", id: schedule_id, label: `schedule ${name}` } };
  try {
    await cancelRun(asSchedule, { runId: id, reason: `replaced by run ${newer} (overlap cancel_previous)` });
  } catch (error) {
    // It ended by itself meanwhile.
    if (!(error instanceof DomainError)) throw error;
  }
}
