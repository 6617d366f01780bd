import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { bytea, id, instant } from "./columns";

interface StoredSuppressor {
  readonly kind: string;
  readonly ref: string;
  readonly data: Readonly<Record<string, string | number>>;
  readonly until: string | null;
}

const project = () =>
  id("project_id")
    .notNull()
    .references(() => projects.id);

/**
 * Run events that the alert pipeline has not decided on yet. A trigger on `run_events` writes them, in the commit that moves
 * the node, and the decision takes them out: no cursor that could pass by an event which commits later under a lower id.
 */
export const alertInbox = pgTable(
  "alert_inbox",
  {
    runId: id("run_id").notNull(),
    eventId: bigint("event_id", { mode: "number" }).notNull(),
    /** How often it could not be decided on, why the last time, and when it is looked at again. */
    tries: integer("tries").notNull().default(0),
    error: text("error"),
    nextAt: instant("next_at"),
    /** Tried too often: it waits for a person, and holds up nobody. */
    setAsideAt: instant("set_aside_at"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.eventId] }),
    index("alert_inbox_waiting").on(t.eventId).where(sql`${t.setAsideAt} is null`),
    index("alert_inbox_aside").on(t.setAsideAt).where(sql`${t.setAsideAt} is not null`),
  ],
);

export const alerts = pgTable(
  "alerts",
  {
    id: id().primaryKey(),
    projectId: project(),
    /** Counted in the project: what people call it by. */
    no: integer("no").notNull(),
    /** One open alert each: of a code, a batch, or something that is silent. */
    key: text("key").notNull(),
    kind: text("kind").notNull(),
    code: text("code").notNull(),
    grade: text("grade").notNull(),
    ruleId: text("rule_id"),
    message: text("message").notNull(),
    pipelineId: id("pipeline_id"),
    runId: id("run_id"),
    nodeKey: text("node_key"),
    label: text("label").notNull(),
    owner: text("owner"),
    actionRequired: jsonb("action_required").$type<{ action: string; target: string }>(),
    /** Of a silence: what was looked at, in order, with what was found. */
    checks: jsonb("checks").$type<{ check: string; ok: boolean; evidence: string }[]>(),
    count: integer("count").notNull(),
    firstAt: instant("first_at").notNull(),
    lastAt: instant("last_at").notNull(),
    /** When people were last told; null while something keeps it back. */
    sentAt: instant("sent_at"),
    notices: integer("notices").notNull().default(0),
    /** The first of what keeps it from people, with all others that do as well. */
    suppressed: jsonb("suppressed").$type<StoredSuppressor & { also?: StoredSuppressor[] }>(),
    /** When what keeps it back may have ended. */
    lookAt: instant("look_at"),
    /** Of a batch: its codes, with when each was seen. */
    parts: jsonb("parts").$type<Record<string, { from: string; to: string }>>(),
    /** When it was last asked whether what failed is well again. */
    recoveryLookedAt: instant("recovery_looked_at"),
    /** Counts what people decide by: its grade, who takes care, whether it is resolved. */
    revision: integer("revision").notNull().default(1),
    acknowledgedAt: instant("acknowledged_at"),
    acknowledgedBy: text("acknowledged_by"),
    resolvedAt: instant("resolved_at"),
    resolvedAs: text("resolved_as"),
    resolvedBy: text("resolved_by"),
    resolvedReason: text("resolved_reason"),
  },
  (t) => [
    uniqueIndex("alerts_no").on(t.projectId, t.no),
    uniqueIndex("alerts_open_key").on(t.projectId, t.key).where(sql`${t.resolvedAt} is null`),
    index("alerts_open").on(t.projectId, t.id).where(sql`${t.resolvedAt} is null`),
    index("alerts_project").on(t.projectId, t.id),
    index("alerts_key").on(t.projectId, t.key, t.resolvedAt),
    index("alerts_last").on(t.projectId, t.lastAt),
    index("alerts_look").on(t.lookAt).where(sql`${t.resolvedAt} is null and ${t.lookAt} is not null`),
    index("alerts_recovery").on(t.recoveryLookedAt.asc().nullsFirst()).where(sql`${t.resolvedAt} is null and ${t.kind} <> 'silence'`),
    check("alerts_kind", sql`${t.kind} in ('code','batch','silence')`),
    check("alerts_grade", sql`${t.grade} in ('P0','P1','P2','P3','P4')`),
    check("alerts_resolved_as", sql`${t.resolvedAs} in ('person','itself')`),
  ],
);

/** One row of each occurrence: which alert it belongs to, and the receipt of what kept it back (ALT-4). */
export const alertReceipts = pgTable(
  "alert_receipts",
  {
    projectId: project(),
    alertId: id("alert_id")
      .notNull()
      .references(() => alerts.id),
    /** The event behind it; decided on once. */
    ref: text("ref").notNull(),
    /** A UUIDv7 of the decision: the order of the list. */
    id: id().notNull(),
    task: text("task").notNull(),
    pipelineId: id("pipeline_id"),
    runId: id("run_id"),
    nodeKey: text("node_key"),
    code: text("code").notNull(),
    message: text("message").notNull(),
    grade: text("grade").notNull(),
    ruleId: text("rule_id"),
    at: instant("at").notNull(),
    /** Null where it was sent. */
    suppressedBy: text("suppressed_by"),
    /** All that kept it back, the first of them in `suppressed_by` as well. */
    suppressors: jsonb("suppressors").$type<StoredSuppressor[]>(),
    /** Class of its pipeline and how that did, as it was decided by; what a trial of other rules reads. */
    health: jsonb("health").$type<{ taskClass: string; runs: number; unhealthy: number; inARow: number }>(),
    /** The task went well later. */
    recoveredAt: instant("recovered_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.ref] }),
    index("alert_receipts_alert").on(t.alertId, t.id),
    index("alert_receipts_task").on(t.projectId, t.task),
    index("alert_receipts_at").on(t.projectId, t.at),
    index("alert_receipts_open").on(t.alertId).where(sql`${t.recoveredAt} is null`),
    check(
      "alert_receipts_by",
      sql`${t.suppressedBy} in ('silence','inhibition','batch','task','acknowledged','code','window','route','grace')`,
    ),
  ],
);

/** Rules, windows and inhibitions of a project; each save is a row, so that what held then can be read. */
export const alertPolicies = pgTable(
  "alert_policies",
  {
    projectId: project(),
    revision: integer("revision").notNull(),
    policy: jsonb("policy").$type<unknown>().notNull(),
    savedBy: text("saved_by").notNull(),
    savedAt: instant("saved_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.revision] })],
);

export const silences = pgTable(
  "silences",
  {
    id: id().primaryKey(),
    projectId: project(),
    no: integer("no").notNull(),
    pattern: text("pattern").notNull(),
    pipelineId: id("pipeline_id"),
    reason: text("reason").notNull(),
    author: text("author").notNull(),
    startsAt: instant("starts_at").notNull(),
    endsAt: instant("ends_at").notNull(),
    /** Before its time, by a person. */
    endedBy: text("ended_by"),
  },
  (t) => [uniqueIndex("silences_no").on(t.projectId, t.no), index("silences_project").on(t.projectId, t.id)],
);

export const alertChannels = pgTable(
  "alert_channels",
  {
    id: id().primaryKey(),
    projectId: project(),
    name: text("name").notNull(),
    kind: text("kind").notNull(),
    /** What may be shown: the host of a URL, the receivers of mail. */
    target: text("target").notNull(),
    grade: text("grade").notNull(),
    pattern: text("pattern").notNull(),
    enabled: boolean("enabled").notNull().default(true),
    revision: integer("revision").notNull().default(1),
    /** The URL and what signs, sealed together: to know either is to be able to send. */
    sealedVersion: integer("sealed_version").notNull().default(1),
    wrappedKey: bytea("wrapped_key").notNull(),
    nonce: bytea("nonce").notNull(),
    ciphertext: bytea("ciphertext").notNull(),
    keyId: text("key_id").notNull(),
    /** Messages in a minute that its receiver takes; null for what is usual of its kind. */
    perMinute: integer("per_minute"),
    /** When it was sent to within the last minute. */
    spent: jsonb("spent").$type<string[]>(),
    /** Its receiver asked for fewer messages, or takes no more of them; what waits until then goes as one digest. */
    limitedUntil: instant("limited_until"),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    deletedAt: instant("deleted_at"),
  },
  (t) => [
    uniqueIndex("alert_channels_name").on(t.projectId, t.name).where(sql`${t.deletedAt} is null`),
    check("alert_channels_kind", sql`${t.kind} in ('webhook','slack','wecom','dingtalk','feishu','email')`),
    check("alert_channels_per_minute", sql`${t.perMinute} between 1 and 1000`),
    check("alert_channels_grade", sql`${t.grade} in ('P0','P1','P2','P3','P4')`),
  ],
);

/** The outbox and its log: written with the decision, sent afterwards until it is through or given up. */
export const alertDeliveries = pgTable(
  "alert_deliveries",
  {
    /** Goes along as the event's id, the same at every try. */
    id: id().primaryKey(),
    projectId: project(),
    channelId: id("channel_id")
      .notNull()
      .references(() => alertChannels.id),
    /** Null for a test. */
    alertId: id("alert_id").references(() => alerts.id),
    /** Which telling of the alert it is; one a channel. */
    notice: integer("notice"),
    message: jsonb("message").$type<unknown>().notNull(),
    state: text("state").notNull().default("waiting"),
    tries: integer("tries").notNull().default(0),
    nextAt: instant("next_at").notNull().default(sql`clock_timestamp()`),
    lastTriedAt: instant("last_tried_at"),
    status: integer("status"),
    error: text("error"),
    /** It goes as part of the digest with this event id, at every try. */
    digestId: id("digest_id"),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    endedAt: instant("ended_at"),
  },
  (t) => [
    uniqueIndex("alert_deliveries_once")
      .on(t.alertId, t.notice, t.channelId)
      .where(sql`${t.alertId} is not null and ${t.notice} is not null`),
    index("alert_deliveries_due").on(t.channelId, t.nextAt).where(sql`${t.state} = 'waiting'`),
    index("alert_deliveries_channel").on(t.channelId, t.id),
    check("alert_deliveries_state", sql`${t.state} in ('waiting','sent','failed')`),
  ],
);
