import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { bytea, id, instant } from "./columns";

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
  { runId: id("run_id").notNull(), eventId: bigint("event_id", { mode: "number" }).notNull() },
  (t) => [primaryKey({ columns: [t.runId, t.eventId] })],
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
    suppressed: jsonb("suppressed").$type<{ kind: string; ref: string; label: string; until: string | null }>(),
    /** Of the silence that keeps it back, so that its end is found. */
    silenceId: id("silence_id"),
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
    index("alerts_silenced").on(t.silenceId).where(sql`${t.resolvedAt} is null and ${t.silenceId} is not null`),
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
    suppressedLabel: text("suppressed_label"),
    suppressedRef: text("suppressed_ref"),
    /** The task went well later. */
    recoveredAt: instant("recovered_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.ref] }),
    index("alert_receipts_alert").on(t.alertId, t.id),
    index("alert_receipts_task").on(t.projectId, t.task),
    index("alert_receipts_at").on(t.projectId, t.at),
    index("alert_receipts_open").on(t.alertId).where(sql`${t.recoveredAt} is null`),
    check("alert_receipts_by", sql`${t.suppressedBy} in ('silence','inhibition','batch','task','acknowledged','code','window','route')`),
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
    /** What it kept back has fired again. */
    releasedAt: instant("released_at"),
  },
  (t) => [
    uniqueIndex("silences_no").on(t.projectId, t.no),
    index("silences_project").on(t.projectId, t.id),
    index("silences_unreleased").on(t.endsAt).where(sql`${t.releasedAt} is null`),
  ],
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
    /** It asked for fewer messages; what waits until then goes as one digest. */
    limitedUntil: instant("limited_until"),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    deletedAt: instant("deleted_at"),
  },
  (t) => [
    uniqueIndex("alert_channels_name").on(t.projectId, t.name).where(sql`${t.deletedAt} is null`),
    check("alert_channels_kind", sql`${t.kind} in ('webhook','slack','wecom','dingtalk','feishu','email')`),
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
    /** It went as part of the digest with this id. */
    digestId: id("digest_id"),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    endedAt: instant("ended_at"),
  },
  (t) => [
    uniqueIndex("alert_deliveries_once")
      .on(t.alertId, t.notice, t.channelId)
      .where(sql`${t.alertId} is not null and ${t.notice} is not null`),
    index("alert_deliveries_due").on(t.nextAt).where(sql`${t.state} = 'waiting'`),
    index("alert_deliveries_channel").on(t.channelId, t.id),
    check("alert_deliveries_state", sql`${t.state} in ('waiting','sent','failed')`),
  ],
);
