import { type SQL, sql } from "drizzle-orm";
import type { RowNoun } from "@/server/domain/retention/rule";

/** Which rows are past their time, of a table `t`; never what something open needs. */
export const ROW_RULES: Readonly<Record<RowNoun, (before: SQL) => SQL>> = {
  // A receipt stays while its alert is open, and while an incident that it belongs to is.
  alert_receipts: (before) => sql`t.at < ${before}
    and exists (select from alerts a where a.id = t.alert_id and a.resolved_at is not null)
    and not exists (select from incident_alerts l join incidents i on i.id = l.incident_id where l.alert_id = t.alert_id and i.state <> 'closed')`,
  alert_deliveries: (before) => sql`t.ended_at < ${before} and t.state <> 'waiting'`,
  dead_letters: (before) => sql`t.closed_at < ${before}`,
  // Of a worker that is back it is how it did before; of one that is gone it is nothing any more.
  worker_breakers: (before) => sql`t.since < ${before} and t.state = 'closed'
    and not exists (select from workers w where w.id = t.worker_id and w.seen_at >= ${before})`,
  // What waits for a subscriber that takes nothing any more would wait for ever.
  webhook_deliveries: (before) =>
    sql`(t.ended_at < ${before} and t.state <> 'waiting') or (t.state = 'waiting' and t.created_at < ${before})`,
  bus_events: (before) => sql`t.at < ${before}`,
};
