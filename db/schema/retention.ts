import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "./columns";

/** How long what is kept, where it was set by a person; no row means the default, no days means for good. */
export const retentionRules = pgTable("retention_rules", {
  noun: text("noun").primaryKey(),
  keepDays: integer("keep_days"),
  revision: integer("revision").notNull().default(1),
  updatedBy: text("updated_by").notNull(),
  updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
});

/** What each pass has removed, by noun. */
export const retentionPasses = pgTable("retention_passes", {
  id: id().primaryKey(),
  startedAt: instant("started_at").notNull(),
  endedAt: instant("ended_at"),
  done: jsonb("done").$type<Record<string, { rows: number; partitions: string[]; held?: string }>>().notNull().default({}),
  error: text("error"),
});
