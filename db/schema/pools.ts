import { sql } from "drizzle-orm";
import { check, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** A shared resource that nodes name: at most `slots` of them run at a time, whatever their pipeline or group. */
export const pools = pgTable(
  "pools",
  {
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    name: text("name").notNull(),
    slots: integer("slots").notNull(),
    description: text("description").notNull().default(""),
    /** Raised by each change; one that saw an older one is refused. */
    revision: integer("revision").notNull().default(1),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.name] }), check("pools_slots", sql`${t.slots} between 1 and 1000`)],
);

/** How many nodes of a worker group run at a time, on all its workers together; a group without a row has no limit. */
export const groupLimits = pgTable(
  "group_limits",
  {
    name: text("name").primaryKey(),
    slots: integer("slots").notNull(),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [check("group_limits_slots", sql`${t.slots} between 1 and 1000`)],
);
