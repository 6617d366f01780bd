import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { id, instant } from "./columns";

/**
 * What went round too often, with its cause (RTY-3): a node that is lost again and again, or that kills what runs it, or
 * that the engine cannot decide on. A trigger on `run_events` writes and closes those of nodes in review, in the very
 * commit that moves the node, whichever path it comes by. Few, and so not partitioned.
 */
export const deadLetters = pgTable(
  "dead_letters",
  {
    /** Made of what the letter is about (`dead_letter_id`). */
    id: uuid("id").primaryKey(),
    projectId: id("project_id").notNull(),
    pipelineId: id("pipeline_id").notNull(),
    runId: id("run_id").notNull(),
    nodeKey: text("node_key").notNull(),
    generation: integer("generation").notNull(),
    attemptNo: integer("attempt_no").notNull(),
    cause: text("cause").notNull(),
    /** In words: what the engine decided on. */
    why: text("why").notNull(),
    /** Of what cannot be decided on: the state in which it is stuck. It is over as soon as the node has left it. */
    nodeState: text("node_state"),
    code: text("code"),
    message: text("message"),
    at: instant("at").notNull().default(sql`clock_timestamp()`),
    closedAt: instant("closed_at"),
    closedAs: text("closed_as"),
    closedBy: jsonb("closed_by").$type<{ kind: string; id: string; label: string }>(),
    closedReason: text("closed_reason"),
  },
  (t) => [
    index("dead_letters_node").on(t.runId, t.nodeKey),
    index("dead_letters_open").on(t.projectId, t.at, t.id).where(sql`${t.closedAt} is null`),
    index("dead_letters_closed").on(t.projectId, t.at, t.id).where(sql`${t.closedAt} is not null`),
    check("dead_letters_cause", sql`${t.cause} in ('lost','died','undecidable')`),
    check("dead_letters_closed_as", sql`${t.closedAs} in ('released','discarded','moved')`),
  ],
);
