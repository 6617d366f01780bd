import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { bytea, id, instant } from "./columns";

/** Subscribers outside (EXC-4), each with how far it has read and how it does. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    name: text("name").notNull(),
    /** What may be shown of the address: its host. */
    target: text("target").notNull(),
    /** Patterns of event types, such as `run.*`. */
    events: text("events").array().notNull(),
    /** False while a person has it paused: its cursors stand still. */
    enabled: boolean("enabled").notNull().default(true),
    /** By the product, since it failed for a day. */
    disabledAt: instant("disabled_at"),
    disabledWhy: text("disabled_why"),
    revision: integer("revision").notNull().default(1),
    /** The address and what signs, sealed together. */
    sealedVersion: integer("sealed_version").notNull().default(1),
    wrappedKey: bytea("wrapped_key").notNull(),
    nonce: bytea("nonce").notNull(),
    ciphertext: bytea("ciphertext").notNull(),
    keyId: text("key_id").notNull(),
    /** Until then the secret before this one signs too. */
    previousUntil: instant("previous_until"),
    /** Up to where run events and events of the bus are in its outbox. */
    runCursor: bigint("run_cursor", { mode: "number" }).notNull(),
    busCursor: bigint("bus_cursor", { mode: "number" }).notNull(),
    /** In a row; none since the last that went through. */
    failures: integer("failures").notNull().default(0),
    failingSince: instant("failing_since"),
    resumeAt: instant("resume_at"),
    /** A process sends to it; another may after this. */
    busyUntil: instant("busy_until"),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    deletedAt: instant("deleted_at"),
  },
  (t) => [uniqueIndex("webhooks_name").on(t.projectId, t.name).where(sql`${t.deletedAt} is null`)],
);

/** The outbox of each subscriber and its log. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: id().primaryKey(),
    /** The order of the events, which is kept within a subject. */
    seq: bigint("seq", { mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    projectId: id("project_id").notNull(),
    webhookId: id("webhook_id")
      .notNull()
      .references(() => webhooks.id),
    /** Of the event: the same for every subscriber and at every try. */
    eventId: text("event_id").notNull(),
    type: text("type").notNull(),
    subject: text("subject").notNull(),
    /** As it is sent: a CloudEvent. */
    event: jsonb("event").$type<unknown>().notNull(),
    state: text("state").notNull().default("waiting"),
    tries: integer("tries").notNull().default(0),
    nextAt: instant("next_at").notNull().default(sql`clock_timestamp()`),
    giveUpAt: instant("give_up_at").notNull(),
    lastTriedAt: instant("last_tried_at"),
    status: integer("status"),
    ms: integer("ms"),
    error: text("error"),
    /** The beginning of what it answered, masked. */
    response: text("response"),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    endedAt: instant("ended_at"),
  },
  (t) => [
    uniqueIndex("webhook_deliveries_once").on(t.webhookId, t.eventId),
    index("webhook_deliveries_waiting").on(t.webhookId, t.subject, t.seq).where(sql`${t.state} = 'waiting'`),
    index("webhook_deliveries_log").on(t.webhookId, t.seq),
    index("webhook_deliveries_ended").on(t.endedAt).where(sql`${t.state} <> 'waiting'`),
    check("webhook_deliveries_state", sql`${t.state} in ('waiting','sent','failed')`),
  ],
);

/** What happened outside of runs; written by triggers, in the commit of the change. */
export const busEvents = pgTable(
  "bus_events",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
    /** Null for what concerns all projects, as a worker's breaker does. */
    projectId: id("project_id"),
    type: text("type").notNull(),
    subject: text("subject").notNull(),
    data: jsonb("data").$type<Record<string, unknown>>().notNull(),
  },
  (t) => [index("bus_events_at").on(t.at)],
);

/**
 * Up to where each source has no event that is still to be committed. `pending` becomes `sealed` once all transactions that
 * were open when it was noted are over: one that commits late under a low id is never passed by.
 */
export const busMarks = pgTable("bus_marks", {
  source: text("source").primaryKey(),
  sealed: bigint("sealed", { mode: "number" }).notNull(),
  pending: bigint("pending", { mode: "number" }).notNull(),
  pendingXid: bigint("pending_xid", { mode: "number" }).notNull(),
});
