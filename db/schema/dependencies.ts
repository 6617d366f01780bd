import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

const project = () =>
  id("project_id")
    .notNull()
    .references(() => projects.id);

/** What nodes call: hosts of HTTP nodes, and the resources that nodes declare to read or write. */
export const dependencies = pgTable(
  "dependencies",
  {
    projectId: project(),
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    firstSeenAt: instant("first_seen_at").notNull(),
    lastSeenAt: instant("last_seen_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.kind, t.name] }),
    index("dependencies_seen").on(t.lastSeenAt),
    check("dependencies_kind", sql`${t.kind} in ('host','resource')`),
  ],
);

/** Calls of a minute, kept for days, and of an hour, kept for weeks; durations in buckets of a log scale. */
export const dependencyCalls = pgTable(
  "dependency_calls",
  {
    projectId: project(),
    kind: text("kind").notNull(),
    name: text("name").notNull(),
    grain: text("grain").notNull(),
    at: instant("at").notNull(),
    calls: integer("calls").notNull(),
    errors: integer("errors").notNull(),
    buckets: jsonb("buckets").$type<Record<string, number>>().notNull(),
    /** The most frequent codes of its errors. */
    codes: jsonb("codes").$type<{ values: Record<string, number>; other: number }>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.kind, t.name, t.grain, t.at] }),
    // By age, for what is removed.
    index("dependency_calls_age").on(t.grain, t.at),
    check("dependency_calls_grain", sql`${t.grain} in ('minute','hour')`),
  ],
);
