import { sql } from "drizzle-orm";
import { inTransaction } from "@/server/engine/context";
import { requireTerm, requireTermToLook } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";

const BATCH = 500;

/**
 * Marks tasks as recovered whose node is well by now, or whose pipeline has run through since, and resolves alerts of which
 * none is left. Silences resolve when what was missing is there. Index: alert_receipts_open, node_runs' key, runs_pipeline.
 */
export const resolveRecovered: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? BATCH;
  const [open] = await ctx.db.execute(sql`select 1 from alerts where resolved_at is null and kind <> 'silence' limit 1`);
  if (!open) {
    await requireTermToLook(ctx.db, fence);
    return { count: 0, more: false };
  }
  const { marked, resolved } = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const marked = await tx.execute(sql`
      update alert_receipts r set recovered_at = clock_timestamp()
      from (
        select o.project_id, o.ref from alert_receipts o
        join alerts a on a.id = o.alert_id and a.resolved_at is null and a.kind <> 'silence'
        left join node_runs n on n.run_id = o.run_id and n.key = o.node_key
        where o.recovered_at is null and (n.run_id is null or n.state in ('SUCCESS', 'SKIPPED', 'CANCELED')
          or exists (select from runs s where s.pipeline_id = o.pipeline_id and s.id > o.run_id and s.state = 'SUCCESS'))
        limit ${limit}
      ) as well
      where r.project_id = well.project_id and r.ref = well.ref and r.recovered_at is null
      returning r.alert_id
    `);
    const resolved = await tx.execute<{ project_id: string }>(sql`
      update alerts a set resolved_at = clock_timestamp(), resolved_as = 'itself', silence_id = null
      where a.resolved_at is null and a.kind <> 'silence'
        and not exists (select from alert_receipts r where r.alert_id = a.id and r.recovered_at is null)
      returning a.project_id
    `);
    return { marked: marked.length, resolved };
  });
  for (const projectId of new Set(resolved.map((row) => row.project_id))) ctx.ports.live.changed(projectId);
  return { count: marked, more: marked === limit };
};
