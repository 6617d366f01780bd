import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** Why the engine closed a valve: a task's failures left its bound, by that revision of the policy. */
export interface ValveBound {
  readonly policy: number;
  readonly percent: number;
  readonly windowMinutes: number;
  readonly rate: number;
  readonly successes: number;
  readonly failed: number;
  readonly succeeded: number;
}

/**
 * Stop valves (RUN-12): while one has not ended, whatever it names and becomes ready is held by a trigger on `node_runs`, in the
 * commit that makes it ready. Few, and kept for good.
 */
export const valves = pgTable(
  "valves",
  {
    /** What people call it by: valve #3. */
    no: integer("no").primaryKey().generatedAlwaysAsIdentity(),
    /** Null for a group, which all projects share. */
    projectId: id("project_id").references(() => projects.id),
    kind: text("kind").notNull(),
    /** Of a node. */
    pipelineId: id("pipeline_id"),
    /** The node's key, the task's name or the group's. */
    target: text("target").notNull(),
    label: text("label").notNull(),
    state: text("state").notNull(),
    reason: text("reason").notNull(),
    closedBy: jsonb("closed_by").$type<{ kind: string; id: string; label: string }>().notNull(),
    closedAt: instant("closed_at").notNull().default(sql`clock_timestamp()`),
    /** Messages that waited in the queue for what it holds, and were taken out. */
    purged: integer("purged").notNull().default(0),
    /** Nodes a minute, while it is being released. */
    rate: integer("rate"),
    releasingSince: instant("releasing_since"),
    releasedAtRate: integer("released_at_rate").notNull().default(0),
    released: integer("released").notNull().default(0),
    endedAt: instant("ended_at"),
    /** The engine closed it by a task's bound, and ends it by recovery (EXC-10). */
    deferring: boolean("deferring").notNull().default(false),
    /** What the bound was and how it was left; null where a person closed it. */
    bound: jsonb("bound").$type<ValveBound>(),
    /** Raised by each change of a person; who saw an older one is refused. */
    revision: integer("revision").notNull().default(1),
  },
  (t) => [
    uniqueIndex("valves_once").on(t.kind, sql`coalesce(${t.pipelineId}, ${t.projectId})`, t.target).where(sql`${t.endedAt} is null`),
    check("valves_kind", sql`${t.kind} in ('node','task','group')`),
    check("valves_state", sql`${t.state} in ('closing','closed','releasing','ended')`),
    check("valves_rate", sql`${t.rate} between 1 and 100000`),
    check("valves_ended", sql`(${t.state} = 'ended') = (${t.endedAt} is not null)`),
    check(
      "valves_place",
      sql`case ${t.kind} when 'node' then ${t.projectId} is not null and ${t.pipelineId} is not null when 'task' then ${t.projectId} is not null else ${t.projectId} is null end`,
    ),
  ],
);

/** What a valve holds, in the order in which it would have been claimed. Written by the trigger, with the pool of each. */
export const valveHolds = pgTable(
  "valve_holds",
  {
    valveNo: integer("valve_no").notNull(),
    runId: id("run_id").notNull(),
    nodeKey: text("node_key").notNull(),
    poolKey: text("pool_key").notNull(),
    rank: instant("rank").notNull(),
    heldAt: instant("held_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.runId, t.nodeKey] }), index("valve_holds_order").on(t.valveNo, t.rank)],
);
