import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

export const pipelines = pgTable(
  "pipelines",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    /** `metadata.name`: stable in the project. */
    name: text("name").notNull(),
    title: text("title").notNull(),
    owner: text("owner").notNull(),
    labels: jsonb("labels").$type<Record<string, string>>().notNull().default({}),
    liveVersionId: id("live_version_id"),
    liveVersionNo: integer("live_version_no"),
    /** Raw JSON: a draft may be incomplete. */
    draft: jsonb("draft").$type<unknown>(),
    draftLayout: jsonb("draft_layout").$type<Record<string, { x: number; y: number }>>().notNull().default({}),
    /** Raised by each save; a save that saw an older one is refused. */
    draftRevision: integer("draft_revision").notNull().default(0),
    draftBaseVersionNo: integer("draft_base_version_no"),
    draftUpdatedBy: text("draft_updated_by"),
    draftUpdatedAt: instant("draft_updated_at"),
    /** Which face may write it: `console` or `git`. */
    managedBy: text("managed_by").notNull().default("console"),
    /** A disabled pipeline starts no run. */
    enabled: boolean("enabled").notNull().default(true),
    /** Where an import found it, so that importing twice creates nothing twice. */
    origin: text("origin"),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
    archivedAt: instant("archived_at"),
    deletedAt: instant("deleted_at"),
  },
  (t) => [
    uniqueIndex("pipelines_name").on(t.projectId, t.name).where(sql`${t.deletedAt} is null`),
    uniqueIndex("pipelines_origin").on(t.projectId, t.origin).where(sql`${t.deletedAt} is null and ${t.origin} is not null`),
    check("pipelines_managed_by", sql`${t.managedBy} in ('console','git')`),
  ],
);

/** Immutable: a trigger refuses update and delete. */
export const pipelineVersions = pgTable(
  "pipeline_versions",
  {
    id: id().primaryKey(),
    pipelineId: id("pipeline_id")
      .notNull()
      .references(() => pipelines.id),
    no: integer("no").notNull(),
    definition: jsonb("definition").$type<unknown>().notNull(),
    layout: jsonb("layout").$type<Record<string, { x: number; y: number }>>().notNull().default({}),
    /** SHA-256 of the canonical JSON. */
    hash: text("hash").notNull(),
    message: text("message").notNull().default(""),
    createdBy: text("created_by").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [uniqueIndex("pipeline_versions_no").on(t.pipelineId, t.no)],
);

/** One row per (pipeline, schedule name) for ever, so that deleting and recreating one cannot fire a slot twice (B111). */
export const schedules = pgTable(
  "schedules",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    pipelineId: id("pipeline_id")
      .notNull()
      .references(() => pipelines.id),
    name: text("name").notNull(),
    /** Raised by each change; a fire planned from an older one is refused by the insert. */
    version: integer("version").notNull().default(1),
    expression: text("expression").notNull(),
    dialect: text("dialect").notNull(),
    timezone: text("timezone").notNull(),
    misfire: text("misfire").notNull(),
    overlap: text("overlap").notNull(),
    gap: text("gap").notNull(),
    fold: text("fold").notNull(),
    params: jsonb("params").$type<Record<string, unknown>>().notNull().default({}),
    enabled: boolean("enabled").notNull().default(true),
    /** ERROR: the row became invalid, such as a zone that this runtime no longer knows (B06). */
    health: text("health").notNull().default("OK"),
    healthReason: text("health_reason"),
    /** Fires exist only from here on: an edit never creates fires in its past (B24). */
    activeFrom: instant("active_from").notNull().default(sql`clock_timestamp()`),
    /** The last instant up to which fires have been accounted for (B16). */
    cursorAt: instant("cursor_at").notNull().default(sql`clock_timestamp()`),
    nextFireAt: instant("next_fire_at"),
    removedAt: instant("removed_at"),
    updatedAt: instant("updated_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex("schedules_name").on(t.pipelineId, t.name),
    index("schedules_next").on(t.nextFireAt).where(sql`${t.enabled} and ${t.removedAt} is null and ${t.health} = 'OK'`),
    check("schedules_dialect", sql`${t.dialect} in ('vixie','quartz')`),
    check("schedules_misfire", sql`${t.misfire} in ('latest','all','none')`),
    check("schedules_overlap", sql`${t.overlap} in ('skip','queue','allow','cancel_previous')`),
    check("schedules_gap", sql`${t.gap} in ('shift','skip')`),
    check("schedules_fold", sql`${t.fold} in ('first','last','both')`),
    check("schedules_health", sql`${t.health} in ('OK','ERROR')`),
  ],
);

/**
 * Fires that an edited or removed schedule still expected, more than one edit can write: the leader writes them line by line.
 */
export const owedFires = pgTable(
  "owed_fires",
  {
    scheduleId: id("schedule_id")
      .notNull()
      .references(() => schedules.id),
    scheduleVersion: integer("schedule_version").notNull(),
    projectId: id("project_id").notNull(),
    pipelineId: id("pipeline_id").notNull(),
    expression: text("expression").notNull(),
    dialect: text("dialect").notNull(),
    timezone: text("timezone").notNull(),
    gap: text("gap").notNull(),
    fold: text("fold").notNull(),
    reason: text("reason").notNull(),
    /** Written up to here; each step moves it on. */
    cursorAt: instant("cursor_at").notNull(),
    untilAt: instant("until_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.scheduleId, t.scheduleVersion] }), index("owed_fires_project").on(t.projectId)],
);

/**
 * The fire ledger (SCH-5): every expected fire has exactly one row. Not partitioned, since its unique key must outlive the runs.
 */
export const fires = pgTable(
  "fires",
  {
    id: id().primaryKey(),
    projectId: id("project_id").notNull(),
    pipelineId: id("pipeline_id").notNull(),
    scheduleId: id("schedule_id")
      .notNull()
      .references(() => schedules.id),
    scheduleVersion: integer("schedule_version").notNull(),
    fireAt: instant("fire_at").notNull(),
    verdict: text("verdict").notNull(),
    reason: text("reason"),
    lateMs: integer("late_ms").notNull().default(0),
    runId: id("run_id"),
    /** How often a second start of this fire was refused. */
    duplicatesRefused: integer("duplicates_refused").notNull().default(0),
    /** The leader's epoch at the commit. */
    epoch: integer("epoch").notNull(),
    createdAt: instant("created_at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex("fires_once").on(t.scheduleId, t.fireAt),
    index("fires_project_time").on(t.projectId, t.fireAt),
    check("fires_verdict", sql`${t.verdict} in ('ran','late','caught_up','skipped','missed')`),
  ],
);
