import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** The routing tables of a project, each as a whole (EXC-5): never changed, the highest version is live, none means the shipped rules. */
export const routingVersions = pgTable(
  "routing_versions",
  {
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    version: integer("version").notNull(),
    /** In order, as `rulesSchema` reads them. */
    rules: jsonb("rules").$type<unknown>().notNull(),
    note: text("note").notNull().default(""),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.version] }), check("routing_versions_version", sql`${t.version} > 0`)],
);

/** How long a node of a project may wait for a person before the queue calls it overdue; no row means the default. */
export const reviewSettings = pgTable(
  "review_settings",
  {
    projectId: id("project_id")
      .primaryKey()
      .references(() => projects.id),
    slaMinutes: integer("sla_minutes").notNull(),
    /** Raised by each change; one that saw an older one is refused. */
    revision: integer("revision").notNull().default(1),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [check("review_settings_sla", sql`${t.slaMinutes} between 1 and 525600`)],
);

/** How often a task of a project may fail before its new work is deferred (EXC-10); no row means the default, which is off. */
export const failureBounds = pgTable("failure_bounds", {
  projectId: id("project_id")
    .primaryKey()
    .references(() => projects.id),
  /** As `boundSchema` reads it. */
  bound: jsonb("bound").$type<unknown>().notNull(),
  /** Raised by each change; one that saw an older one is refused. */
  revision: integer("revision").notNull().default(1),
  updatedBy: text("updated_by").notNull(),
  updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
});

/** What waits for a person, by project (RUN-2): a trigger on `node_runs` writes it in the commit that moves the node. */
export const reviewItems = pgTable(
  "review_items",
  {
    runId: id("run_id").notNull(),
    nodeKey: text("node_key").notNull(),
    projectId: id("project_id").notNull(),
    pipelineId: id("pipeline_id").notNull(),
    code: text("code"),
    since: instant("since").notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.nodeKey] }), index("review_items_queue").on(t.projectId, t.since, t.runId, t.nodeKey, t.code)],
);
