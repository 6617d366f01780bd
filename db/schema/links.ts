import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** Links of buttons in messages: each acts once, on the state that it was made for, within minutes (ALT-6). */
export const actionLinks = pgTable(
  "action_links",
  {
    /** Of the token; the token itself is kept nowhere. */
    hash: text("hash").primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    alertId: id("alert_id").notNull(),
    action: text("action").notNull(),
    target: jsonb("target").$type<unknown>().notNull(),
    /** Of what it acts on, as it was when the link was made. */
    version: text("version").notNull(),
    maker: jsonb("maker").$type<{ kind: "channel" | "person"; label: string }>().notNull(),
    /** Whose it is: of who is told by the message, or else of the first who may and opens it. */
    userId: text("user_id"),
    userLabel: text("user_label"),
    openedAt: instant("opened_at"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
    usedBy: text("used_by"),
    /** The request that used it: a transaction of it that is repeated is no second use. */
    usedIn: text("used_in"),
  },
  (t) => [
    index("action_links_expired").on(t.expiresAt),
    check(
      "action_links_action",
      sql`${t.action} in ('retry_node','acknowledge','mute','skip_node','pause_pipeline','cancel_run','drain_worker','hold_worker')`,
    ),
    check("action_links_used", sql`(${t.usedAt} is null) = (${t.usedBy} is null)`),
  ],
);
