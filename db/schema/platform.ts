import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, instant } from "./columns";

/**
 * The leader lease (SCH-7), on the database's clock. (name, epoch) is unique so that a fence, which takes the row
 * FOR KEY SHARE, waits for a take-over (the epoch changes) and never for a renewal (no key changes).
 */
export const leases = pgTable(
  "leases",
  {
    name: text("name").primaryKey(),
    holder: text("holder").notNull(),
    bootId: id("boot_id").notNull(),
    epoch: integer("epoch").notNull(),
    expiresAt: instant("expires_at").notNull(),
    acquiredAt: instant("acquired_at").notNull().default(sql`clock_timestamp()`),
    /** What the leader says of itself: wheel lag, timers, duties. */
    report: jsonb("report").$type<Record<string, unknown>>().notNull().default({}),
  },
  (t) => [uniqueIndex("leases_epoch").on(t.name, t.epoch)],
);

/** A node's lease is its worker's: (id, boot_id, epoch), 10 s, renewed every 3 s; claims take the row FOR KEY SHARE. */
export const workers = pgTable(
  "workers",
  {
    id: text("id").primaryKey(),
    bootId: id("boot_id").notNull(),
    epoch: integer("epoch").notNull().default(1),
    expiresAt: instant("expires_at").notNull(),
    groups: text("groups").array().notNull(),
    slots: integer("slots").notNull(),
    hostname: text("hostname").notNull(),
    pid: integer("pid").notNull(),
    site: text("site"),
    draining: boolean("draining").notNull().default(false),
    /** {cpu, cores, memoryBytes, kernel, runtime, versions, tasks}. */
    fingerprint: jsonb("fingerprint").$type<Record<string, unknown>>().notNull(),
    /** {load, rssBytes, freeMemoryBytes, diskUsed, loopLagMs, active, connections, …}. */
    heartbeat: jsonb("heartbeat").$type<Record<string, unknown>>().notNull().default({}),
    /** Why it takes no new node now: `disk`, `memory`, `drain`; null when it does. */
    refusing: text("refusing"),
    /** Its breaker is not closed: no claim of it finds anything. Written with `worker_breakers`. */
    tripped: boolean("tripped").notNull().default(false),
    startedAt: instant("started_at").notNull().default(sql`clock_timestamp()`),
    seenAt: instant("seen_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [uniqueIndex("workers_lease").on(t.id, t.bootId, t.epoch), index("workers_expiry").on(t.expiresAt)],
);

/** Append-only by trigger; partitioned on its own id; each row carries the hash of the one before it in its project. */
export const audit = pgTable(
  "audit",
  {
    id: id().primaryKey(),
    /** Null for what concerns the whole installation. */
    projectId: id("project_id"),
    seq: bigint("seq", { mode: "number" }).notNull(),
    at: instant("at").notNull(),
    actorKind: text("actor_kind").notNull(),
    actorId: text("actor_id").notNull(),
    actorLabel: text("actor_label").notNull(),
    /** `pipeline.publish`, `run.cancel`, … */
    verb: text("verb").notNull(),
    objectKind: text("object_kind").notNull(),
    objectId: text("object_id").notNull(),
    objectLabel: text("object_label").notNull(),
    reason: text("reason"),
    before: jsonb("before").$type<unknown>(),
    after: jsonb("after").$type<unknown>(),
    /** {ip, userAgent, via: console|api|cli|import|system}. */
    source: jsonb("source").$type<Record<string, unknown>>().notNull(),
    requestId: text("request_id").notNull(),
    prevHash: text("prev_hash").notNull(),
    hash: text("hash").notNull(),
  },
  (t) => [
    // In the order of the chain, since ids of one millisecond have none; read backwards for the newest.
    index("audit_project").on(t.projectId, t.seq),
    index("audit_object").on(t.objectKind, t.objectId, t.id),
    index("audit_actor").on(t.actorId, t.id),
    check("audit_actor_kind", sql`${t.actorKind} in ('user','token','schedule','worker','system')`),
  ],
);

/** The end of each project's chain; locking it puts writers in order. `scope` is the project id, or `platform`. */
export const auditHeads = pgTable("audit_heads", {
  scope: text("scope").primaryKey(),
  seq: bigint("seq", { mode: "number" }).notNull(),
  hash: text("hash").notNull(),
});

/** The platform's own failures: a worker that vanished, a duty that keeps failing. */
export const platformEvents = pgTable(
  "platform_events",
  {
    id: id().primaryKey(),
    code: text("code").notNull(),
    message: text("message").notNull(),
    data: jsonb("data").$type<Record<string, unknown>>().notNull().default({}),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index("platform_events_code").on(t.code, t.at)],
);

export const settings = pgTable("settings", {
  key: text("key").primaryKey(),
  value: jsonb("value").$type<unknown>().notNull(),
  updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
});

/** Tasks that workers registered, for the editor's form and the checks of a definition. */
export const tasks = pgTable(
  "tasks",
  {
    workerGroup: text("worker_group").notNull(),
    name: text("name").notNull(),
    inputSchema: jsonb("input_schema").$type<unknown>(),
    outputSchema: jsonb("output_schema").$type<unknown>(),
    seenAt: instant("seen_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.workerGroup, t.name] })],
);
