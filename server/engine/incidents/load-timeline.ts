import { sql } from "drizzle-orm";
import { z } from "zod";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import type { Ctx } from "@/server/engine/context";
import { findIncident, type IncidentRow, incidentPlaceSchema } from "./incident-row";

export const TIMELINE_STREAMS = ["error", "alert", "delivery", "run", "incident", "audit"] as const;
export type TimelineStream = (typeof TIMELINE_STREAMS)[number];

export const timelineSchema = incidentPlaceSchema.extend({
  cursor: z
    .string()
    .max(120)
    .regex(/^\d{1,15}~[a-z0-9-]+$/, { error: "not a cursor; hand back the nextCursor of the page before" })
    .optional(),
  limit: pageLimitSchema,
});

/** One thing that happened, from the stream where it is kept. */
export interface TimelineEntry {
  readonly key: string;
  readonly at: Date;
  readonly stream: TimelineStream;
  /** A word of the stream: a run's event, `opened`, a verb of the audit, a delivery's state. */
  readonly what: string;
  readonly text: string;
  readonly actor: string | null;
  readonly runId: string | null;
  readonly nodeKey: string | null;
}

type Row = {
  key: string;
  at_ms: number;
  stream: TimelineStream;
  what: string;
  text: string;
  actor: string | null;
  run_id: string | null;
  node_key: string | null;
};

/** What happened from the first failure on, newest last, from the streams themselves: nothing is told twice (INC-1). */
export async function loadTimeline(ctx: Ctx, given: z.input<typeof timelineSchema>): Promise<Page<TimelineEntry>> {
  const { id, cursor, limit } = parseInput(timelineSchema, given);
  const incident = await findIncident(ctx, id);
  const [atMs, key] = cursor?.split("~") ?? [];
  if (cursor !== undefined && (atMs === undefined || key === undefined)) throw new DomainError("invalid_input", "not a cursor");
  const later = cursor === undefined ? sql`` : sql`where (at, key) > (to_timestamp(${Number(atMs)}::float8 / 1000), ${key}::text)`;
  const rows = await ctx.db.execute<Row>(sql`
    ${streamsOf(incident)}
    select key, (extract(epoch from at) * 1000)::float8 as at_ms, stream, what, left(text, 500) as text, actor, run_id, node_key
    from entries ${later} order by at, key limit ${limit + 1}
  `);
  return pageOf(
    [...rows],
    limit,
    (row) => `${Math.round(row.at_ms)}~${row.key}`,
    ({ at_ms, run_id, node_key, ...row }) => ({ ...row, at: new Date(at_ms), runId: run_id, nodeKey: node_key }),
  );
}

/** Index: incident_alerts_incident, alert_receipts_alert, error_events_task, the keys of the others, audit_object. */
const streamsOf = ({ id }: IncidentRow) => sql`
  with own as materialized (
    select a.* from incident_alerts l join alerts a on a.id = l.alert_id where l.incident_id = ${id}::uuid
  ), nodes as materialized (
    select distinct r.run_id, r.node_key from alert_receipts r join own on own.id = r.alert_id
    where r.run_id is not null and r.node_key is not null limit 500
  ), entries as (
    select 'e-' || e.id as key, e.at, 'error' as stream, e.code as what, e.message as text, e.worker_id as actor, e.run_id, e.node_key
      from nodes n join error_events e on e.run_id = n.run_id and e.node_key = n.node_key
    union all
    select 'a-' || id || '-1', first_at, 'alert', 'opened', '#' || no || ' ' || grade || ' ' || label, null, run_id, node_key from own
    union all
    select 'a-' || id || '-2', acknowledged_at, 'alert', 'acknowledged', '#' || no || ' ' || label, acknowledged_by, null, null
      from own where acknowledged_at is not null
    union all
    select 'a-' || id || '-3', resolved_at, 'alert', 'resolved', '#' || no || ' ' || label, resolved_by, null, null
      from own where resolved_at is not null
    union all
    select 'd-' || d.id, coalesce(d.ended_at, d.created_at), 'delivery', d.state, c.name || coalesce(': ' || d.error, ''), null, null, null
      from own join alert_deliveries d on d.alert_id = own.id join alert_channels c on c.id = d.channel_id
    union all
    select 'r-' || v.run_id || '-' || lpad(v.id::text, 18, '0'), v.at, 'run', v.event, v.cause, v.actor ->> 'label', v.run_id, v.node_key
      from (select distinct run_id from nodes) n join run_events v on v.run_id = n.run_id
      where v.actor ->> 'kind' in ('user', 'token')
    union all
    select 'i-' || s.id, s.at, 'incident', s.event, '#' || s.alert_no, null, null, null from incident_steps s where s.incident_id = ${id}::uuid
    union all
    select 'u-' || u.id, u.at, 'audit', u.verb, coalesce(u.reason, ''), u.actor_label, null, null
      from audit u where u.object_kind = 'incident' and u.object_id = ${id}::text
  )`;
