import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { projects } from "./access";
import { id, instant } from "./columns";

/** The register of error codes of a project (EXC-9): what a code means, whose it is, and what is done about it. */
export const errorCodes = pgTable(
  "error_codes",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    code: text("code").notNull(),
    state: text("state").notNull().default("proposed"),
    titleEn: text("title_en").notNull(),
    titleZh: text("title_zh").notNull(),
    meaningEn: text("meaning_en").notNull(),
    meaningZh: text("meaning_zh").notNull(),
    owner: text("owner").notNull(),
    grade: text("grade").notNull(),
    /** What it does to the business while it lasts. */
    impact: text("impact").notNull(),
    /** Within which somebody must have answered. */
    slaMinutes: integer("sla_minutes").notNull(),
    /** Null: as the node, the pipeline or the default says. */
    retry: jsonb("retry").$type<{ baseMs: number; jitterMs: number; capMs: number }>(),
    playbook: text("playbook").notNull().default(""),
    /** Raised by each change; one that saw an older one is refused, and approvals of an older one count no more. */
    revision: integer("revision").notNull().default(1),
    proposedBy: jsonb("proposed_by").$type<{ kind: string; id: string; label: string }>().notNull(),
    proposedAt: instant("proposed_at").notNull().default(sql`clock_timestamp()`),
    registeredAt: instant("registered_at"),
    deprecatedAt: instant("deprecated_at"),
    deprecatedWhy: text("deprecated_why"),
  },
  (t) => [
    uniqueIndex("error_codes_code").on(t.projectId, t.code),
    check("error_codes_state", sql`${t.state} in ('proposed','registered','deprecated')`),
    check("error_codes_grade", sql`${t.grade} in ('P0','P1','P2','P3','P4')`),
    check("error_codes_length", sql`char_length(${t.code}) <= 64`),
  ],
);

/** Who approved which wording of a proposal; nobody twice. */
export const codeApprovals = pgTable(
  "code_approvals",
  {
    codeId: uuid("code_id")
      .notNull()
      .references(() => errorCodes.id, { onDelete: "cascade" }),
    revision: integer("revision").notNull(),
    userId: text("user_id").notNull(),
    label: text("label").notNull(),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.codeId, t.revision, t.userId] })],
);

/**
 * What the inbox was taught (EXC-1): events of this code, stack and shape of message are another code's. Of those that came
 * before, it is applied where they are read, so that it can be undone; those that come are committed under it.
 */
export const codeMappings = pgTable(
  "code_mappings",
  {
    id: id().primaryKey(),
    projectId: id("project_id")
      .notNull()
      .references(() => projects.id),
    fromCode: text("from_code").notNull(),
    /** Empty: events without a stack. */
    stackHash: text("stack_hash").notNull(),
    shape: text("shape").notNull(),
    toCode: text("to_code").notNull(),
    reason: text("reason").notNull(),
    madeBy: jsonb("made_by").$type<{ kind: string; id: string; label: string }>().notNull(),
    madeAt: instant("made_at").notNull().default(sql`clock_timestamp()`),
    undoneBy: jsonb("undone_by").$type<{ kind: string; id: string; label: string }>(),
    undoneAt: instant("undone_at"),
  },
  (t) => [
    uniqueIndex("code_mappings_live").on(t.projectId, t.fromCode, t.stackHash, t.shape).where(sql`${t.undoneAt} is null`),
    index("code_mappings_to").on(t.projectId, t.toCode),
  ],
);
