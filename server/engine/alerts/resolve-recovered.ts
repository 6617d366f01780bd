import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { textArray } from "@/db/statements/array";
import { inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { storedNow } from "@/server/engine/stored-clock";
import { byProject } from "./by-project";
import { lockAlerts } from "./lock-alerts";

const BATCH = 200;
/** Occurrences of one alert that are looked at in a turn, the oldest first: it is over when none of all is left. */
const MOST_OCCURRENCES = 500;
/** Each open alert is looked at no more often. */
const LOOK_EVERY_MS = 8_000;

/**
 * Marks tasks as recovered whose node is well by now, or whose pipeline has run through since while nobody is waited for, and
 * resolves alerts of which none is left. A bounded number of alerts in a commit, those first that were looked at the longest
 * ago; under the lock of their project, so that none resolves beside a failure that is being added. Silences resolve when what
 * was missing is there. Index: alerts_recovery, alert_receipts_open, node_runs' key, runs_pipeline.
 */
export const resolveRecovered: Recover = async (ctx, fence, { limit = BATCH } = {}) => {
  const now = await storedNow(ctx, ctx.db);
  const before = new Date(now.getTime() - LOOK_EVERY_MS).toISOString();
  const open = await ctx.db.execute<{ id: string; projectId: string }>(sql`
    select id, project_id as "projectId" from alerts
    where resolved_at is null and kind <> 'silence' and (recovery_looked_at is null or recovery_looked_at < ${before}::timestamptz)
    order by recovery_looked_at nulls first limit ${limit}
  `);
  if (open.length === 0) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const count = await byProject(ctx, open, async (projectId, own) => {
    const ids = own.map(({ id }) => id);
    const { marked, resolved } = await inTransaction(ctx, async (tx) => {
      await requireTerm(tx, fence);
      await lockAlerts(tx, projectId);
      const marked = await markRecovered(tx, ids, now);
      return { marked, resolved: await resolveWhole(tx, ids, now) };
    });
    if (resolved > 0) ctx.ports.live.changed(projectId);
    return marked;
  });
  return { count, more: open.length === limit && count > 0 };
};

async function markRecovered(tx: Tx, ids: readonly string[], now: Date): Promise<number> {
  const rows = await tx.execute(sql`
    update alert_receipts r set recovered_at = ${now.toISOString()}::timestamptz
    from unnest(${textArray(ids)}::uuid[]) as a(id)
    cross join lateral (
      select * from alert_receipts where alert_id = a.id and recovered_at is null order by id limit ${MOST_OCCURRENCES}
    ) o
    left join node_runs n on n.run_id = o.run_id and n.key = o.node_key
    where r.project_id = o.project_id and r.ref = o.ref and r.recovered_at is null and o.run_id is not null
      and (n.run_id is null or n.state in ('SUCCESS', 'SKIPPED', 'CANCELED') or (n.state <> 'MANUAL_REVIEW'
        and exists (select from runs s where s.pipeline_id = o.pipeline_id and s.id > o.run_id and s.state = 'SUCCESS')))
    returning r.alert_id
  `);
  return rows.length;
}

async function resolveWhole(tx: Tx, ids: readonly string[], now: Date): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = await tx.execute<{ over: boolean }>(sql`
    update alerts a set recovery_looked_at = ${at}, resolved_at = case when w.over then ${at} end, resolved_as = case when w.over then 'itself' end
    from (
      select given.id, not exists (select from alert_receipts r where r.alert_id = given.id and r.recovered_at is null) as over
      from unnest(${textArray(ids)}::uuid[]) as given(id)
    ) w
    where a.id = w.id and a.resolved_at is null
    returning w.over
  `);
  return rows.filter(({ over }) => over).length;
}
