import { sql } from "drizzle-orm";
import { z } from "zod";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { policyOf } from "./load-memory";

export const noiseFilterSchema = z.strictObject({ projectId: z.uuid(), days: z.int().min(1).max(90).default(30) });

export interface NoiseLine {
  /** Null for what no rule matched. */
  readonly ruleId: string | null;
  readonly name: string | null;
  readonly occurrences: number;
  readonly suppressed: number;
  /** Alerts that people were told of. */
  readonly sent: number;
  readonly acknowledged: number;
  /** Resolved by a person. */
  readonly actedOn: number;
  readonly byItself: number;
  /** Of those told, the part that somebody acknowledged or resolved; null where none was told. */
  readonly precision: number | null;
}

interface Row extends Record<string, unknown> {
  rule_id: string | null;
  occurrences: number;
  suppressed: number;
  sent: number;
  acknowledged: number;
  acted: number;
  itself: number;
  heeded: number;
}

/** What each rule brought in a time, and how much of it was worth somebody's attention (ALT-8). Index: alert_receipts_at, alerts_project. */
export async function noiseLedger(ctx: Ctx, given: z.input<typeof noiseFilterSchema>): Promise<readonly NoiseLine[]> {
  const { projectId, days } = parseInput(noiseFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const from = sql`now() - make_interval(days => ${days})`;
  const rows = await ctx.db.execute<Row>(sql`
    with told as (
      select rule_id, count(*) filter (where sent_at is not null)::integer as sent,
        count(*) filter (where sent_at is not null and acknowledged_at is not null)::integer as acknowledged,
        count(*) filter (where sent_at is not null and resolved_as = 'person')::integer as acted,
        count(*) filter (where sent_at is not null and resolved_as = 'itself')::integer as itself,
        count(*) filter (where sent_at is not null and (acknowledged_at is not null or resolved_as = 'person'))::integer as heeded
      from alerts where project_id = ${projectId}::uuid and last_at >= ${from} group by rule_id
    ), occurred as (
      select rule_id, count(*)::integer as occurrences, count(suppressed_by)::integer as suppressed
      from alert_receipts where project_id = ${projectId}::uuid and at >= ${from} group by rule_id
    )
    select coalesce(o.rule_id, t.rule_id) as rule_id, coalesce(o.occurrences, 0) as occurrences, coalesce(o.suppressed, 0) as suppressed,
      coalesce(t.sent, 0) as sent, coalesce(t.acknowledged, 0) as acknowledged, coalesce(t.acted, 0) as acted,
      coalesce(t.itself, 0) as itself, coalesce(t.heeded, 0) as heeded
    from occurred o full join told t on coalesce(t.rule_id, '') = coalesce(o.rule_id, '')
    order by occurrences desc, 1 limit 200
  `);
  const { policy } = await policyOf(ctx.db, projectId);
  return rows.map((row) => ({
    ruleId: row.rule_id,
    name: policy.rules.find(({ id }) => id === row.rule_id)?.name ?? null,
    ...{ occurrences: row.occurrences, suppressed: row.suppressed, sent: row.sent, acknowledged: row.acknowledged },
    ...{ actedOn: row.acted, byItself: row.itself, precision: row.sent === 0 ? null : row.heeded / row.sent },
  }));
}
