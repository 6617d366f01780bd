import { sql } from "drizzle-orm";
import { bigint, check, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "./columns";

/** What opened a breaker, or who holds the worker. */
export interface BreakerWhy {
  readonly cause: "oom" | "row" | "rule" | "person";
  readonly ends?: readonly { at: string; code: string; projectId: string; runId: string; nodeKey: string }[];
  readonly by?: { kind: string; id: string; label: string };
  readonly reason?: string;
  /** The routing rule that asked for it. */
  readonly rule?: { readonly name: string; readonly version: number };
}

/**
 * How each worker's breaker stands (EXC-6): a row once the worker has failed, or a person has held it. That it is out stands
 * in `workers.tripped` too, written by the same commits, where a claim reads its lease anyway.
 */
export const workerBreakers = pgTable(
  "worker_breakers",
  {
    workerId: text("worker_id").primaryKey(),
    state: text("state").notNull(),
    since: instant("since").notNull(),
    until: instant("until"),
    nextProbeAt: instant("next_probe_at"),
    probeId: id("probe_id"),
    probeAskedAt: instant("probe_asked_at"),
    successes: integer("successes").notNull().default(0),
    lastProbe: jsonb("last_probe").$type<{ at: string; ok: boolean; note: string }>(),
    why: jsonb("why").$type<BreakerWhy>(),
    /** What ended until then opens it no more. */
    countFrom: instant("count_from").notNull(),
    /** The newest success that is known, and up to when all of them are. */
    lastSuccessAt: instant("last_success_at"),
    checkedUntil: instant("checked_until").notNull(),
    /** Raised by each change; who saw an older one is refused. */
    revision: integer("revision").notNull().default(1),
  },
  (t) => [
    check("worker_breakers_state", sql`${t.state} in ('closed','open','probing','held')`),
    check("worker_breakers_until", sql`(${t.state} = 'open') = (${t.until} is not null)`),
  ],
);

/** Routing rules that ask for a worker's breaker (EXC-5): written by a trigger on `run_events`, taken by the leader's next look. */
export const breakerAsks = pgTable("breaker_asks", {
  id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  workerId: text("worker_id").notNull(),
  projectId: id("project_id").notNull(),
  runId: id("run_id").notNull(),
  nodeKey: text("node_key").notNull(),
  code: text("code").notNull(),
  rule: text("rule").notNull(),
  version: integer("version").notNull(),
  at: instant("at").notNull(),
});
