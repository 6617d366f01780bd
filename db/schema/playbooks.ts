import { sql } from "drizzle-orm";
import { check, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** What a project has written down for a symptom (INC-4): which checks to make, and what their results mean. */
export const playbooks = pgTable(
  "playbooks",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    title: text("title").notNull(),
    symptom: text("symptom").notNull(),
    /** Error codes that it is offered for; null where it is only looked up. */
    pattern: text("pattern"),
    /** Names of shipped checks, in their order. */
    checks: jsonb("checks").$type<string[]>().notNull(),
    meaning: text("meaning").notNull().default(""),
    link: text("link"),
    /** Raised by each change; one that saw an older one is refused. What stood there before is in the audit. */
    revision: integer("revision").notNull().default(1),
    savedBy: text("saved_by").notNull(),
    savedAt: instant("saved_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [uniqueIndex("playbooks_title").on(t.projectId, t.title), check("playbooks_checks", sql`jsonb_typeof(${t.checks}) = 'array'`)],
);
