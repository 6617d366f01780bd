import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** How far a duty has counted what ended: moved in the commit that adds what it read, so that nothing counts twice. */
export const countingCursors = pgTable("counting_cursors", {
  name: text("name").primaryKey(),
  until: instant("until").notNull(),
});

/** A burst of one code (EXC-7): one row however large it is, and history once it is over. */
export const rootCauseCards = pgTable(
  "root_cause_cards",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    code: text("code").notNull(),
    /** The first failure of the minute that opened it. */
    openedAt: instant("opened_at").notNull(),
    countedUntil: instant("counted_until").notNull(),
    /** When a minute was last above the bound. */
    burstAt: instant("burst_at").notNull(),
    endedAt: instant("ended_at"),
    total: integer("total").notNull(),
    peak: integer("peak").notNull(),
    minutes: jsonb("minutes").$type<{ minute: string; events: number }[]>().notNull(),
    counts: jsonb("counts").$type<Record<string, { values: Record<string, number>; other: number }>>().notNull(),
  },
  (t) => [
    uniqueIndex("root_cause_cards_open").on(t.projectId, t.code).where(sql`${t.endedAt} is null`),
    index("root_cause_cards_code").on(t.projectId, t.code, t.id),
    index("root_cause_cards_project").on(t.projectId, t.id),
    index("root_cause_cards_ended").on(t.endedAt).where(sql`${t.endedAt} is not null`),
  ],
);
