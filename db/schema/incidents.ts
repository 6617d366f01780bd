import { sql } from "drizzle-orm";
import { bigint, check, date, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { alerts } from "./alerts";
import { id, instant } from "./columns";

const project = () =>
  id("project_id")
    .notNull()
    .references(() => projects.id);

export const incidents = pgTable(
  "incidents",
  {
    id: id().primaryKey(),
    projectId: project(),
    /** Counted in the project: what people call it by. */
    no: integer("no").notNull(),
    code: text("code").notNull(),
    /** Null where it is of no pipeline, such as a group without workers. */
    pipelineId: id("pipeline_id"),
    /** The gravest of its alerts, or what a person has raised it to. */
    severity: text("severity").notNull(),
    state: text("state").notNull(),
    stateSince: instant("state_since").notNull(),
    /** Raised by each change of it; one that saw an older one is refused. */
    revision: integer("revision").notNull().default(1),
    /** Who takes care: a person once somebody has, before that whoever the pipeline names. */
    ownerId: text("owner_id"),
    owner: text("owner"),
    /** When the first attempt failed, which is before anybody could be told. */
    firstFailureAt: instant("first_failure_at"),
    openedAt: instant("opened_at").notNull(),
    /** For the first time: what MTTA is taken from. */
    acknowledgedAt: instant("acknowledged_at"),
    acknowledgedBy: text("acknowledged_by"),
    resolvedAt: instant("resolved_at"),
    resolvedAs: text("resolved_as"),
    resolvedBy: text("resolved_by"),
    closedAt: instant("closed_at"),
    closedBy: text("closed_by"),
    /** Closed with a complete review. */
    reviewedAt: instant("reviewed_at"),
    /** The reviewed incident that this one shows to have come back, and the other way round (INC-6). */
    recurrenceOf: id("recurrence_of"),
    recurredIn: id("recurred_in"),
  },
  (t) => [
    uniqueIndex("incidents_no").on(t.projectId, t.no),
    uniqueIndex("incidents_ongoing")
      .on(t.projectId, t.code, sql`coalesce(${t.pipelineId}::text, '')`)
      .where(sql`${t.state} in ('open','acknowledged')`),
    // The list: what goes on stands first, and the newest of each.
    index("incidents_list").on(t.projectId, sql`(${t.state} in ('resolved','closed'))`, t.id.desc().nullsFirst()),
    index("incidents_opened").on(t.projectId, t.openedAt),
    index("incidents_code").on(t.projectId, t.code, t.no),
    check("incidents_severity", sql`${t.severity} in ('P0','P1','P2','P3','P4')`),
    check("incidents_state", sql`${t.state} in ('open','acknowledged','resolved','closed')`),
    check("incidents_resolved_as", sql`${t.resolvedAs} in ('person','itself')`),
    check("incidents_resolved", sql`(${t.state} in ('resolved','closed')) = (${t.resolvedAt} is not null)`),
    check("incidents_closed", sql`(${t.state} = 'closed') = (${t.closedAt} is not null)`),
  ],
);

/** Alerts that are new or have changed, written by a trigger in their commit; taken out by what groups them. */
export const incidentInbox = pgTable("incident_inbox", {
  // Not by alert: a second change of one that is just being grouped would wait for that commit.
  id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  alertId: id("alert_id").notNull(),
});

export const incidentAlerts = pgTable(
  "incident_alerts",
  {
    alertId: id("alert_id")
      .primaryKey()
      .references(() => alerts.id),
    incidentId: id("incident_id")
      .notNull()
      .references(() => incidents.id),
  },
  (t) => [index("incident_alerts_incident").on(t.incidentId)],
);

/** What the machine did to an incident; the deeds of people are in the audit. */
export const incidentSteps = pgTable(
  "incident_steps",
  {
    incidentId: id("incident_id")
      .notNull()
      .references(() => incidents.id),
    id: id().notNull(),
    at: instant("at").notNull(),
    event: text("event").notNull(),
    alertNo: integer("alert_no").notNull(),
  },
  (t) => [primaryKey({ columns: [t.incidentId, t.id] })],
);

/** Every saved wording of a post-incident review; the newest counts. */
export const incidentReviews = pgTable(
  "incident_reviews",
  {
    incidentId: id("incident_id")
      .notNull()
      .references(() => incidents.id),
    revision: integer("revision").notNull(),
    form: jsonb("form").$type<unknown>().notNull(),
    savedBy: text("saved_by").notNull(),
    savedAt: instant("saved_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.incidentId, t.revision] })],
);

/** What is done so that it does not come back, as the newest wording has it. */
export const incidentActions = pgTable(
  "incident_actions",
  {
    id: id().primaryKey(),
    incidentId: id("incident_id")
      .notNull()
      .references(() => incidents.id),
    position: integer("position").notNull(),
    what: text("what").notNull(),
    ownerId: text("owner_id"),
    owner: text("owner"),
    due: date("due", { mode: "string" }),
    proof: text("proof").notNull(),
    doneAt: instant("done_at"),
    doneBy: text("done_by"),
    doneNote: text("done_note"),
  },
  (t) => [index("incident_actions_incident").on(t.incidentId, t.position)],
);

/** The error codes that a review speaks of (INC-3). */
export const incidentCodes = pgTable(
  "incident_codes",
  {
    projectId: project(),
    code: text("code").notNull(),
    incidentId: id("incident_id")
      .notNull()
      .references(() => incidents.id),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.code, t.incidentId] }), index("incident_codes_incident").on(t.incidentId)],
);
