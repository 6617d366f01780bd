import { and, asc, eq, gt } from "drizzle-orm";
import { z } from "zod";
import { runEvents } from "@/db/schema/runs";
import { parseInput } from "@/server/domain/input";
import { type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import type { Actor } from "@/server/domain/run/model";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { projectOfRun } from "./intervention";

export const runEventsFilterSchema = z.strictObject({
  runId: z.uuid(),
  /** Id of the last event of the page before. */
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, { error: "hand back the cursor of the page before" })
    .optional(),
  limit: pageLimitSchema,
});
export type RunEventsFilter = z.input<typeof runEventsFilterSchema>;

export interface RunEventView {
  readonly id: string;
  readonly at: Date;
  /** An event of the transition table, `run.<what>`, or `late.<event>` for what was recorded and not applied. */
  readonly event: string;
  readonly nodeKey: string | null;
  readonly generation: number | null;
  readonly attemptNo: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly actor: Actor;
  readonly cause: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Everything that happened to a run, oldest first. */
export async function listRunEvents(ctx: Ctx, given: RunEventsFilter): Promise<Page<RunEventView>> {
  const filter = parseInput(runEventsFilterSchema, given);
  authorise(ctx, await projectOfRun(ctx, ctx.db, filter.runId), "project.read");
  const rows = await ctx.db
    .select()
    .from(runEvents)
    .where(and(eq(runEvents.runId, filter.runId), filter.cursor === undefined ? undefined : gt(runEvents.id, Number(filter.cursor))))
    .orderBy(asc(runEvents.id))
    .limit(filter.limit + 1);
  return pageOf(rows, filter.limit, (row) => String(row.id), toView);
}

const toView = (row: typeof runEvents.$inferSelect): RunEventView => ({
  id: String(row.id),
  at: row.at,
  event: row.event,
  nodeKey: row.nodeKey,
  generation: row.generation,
  attemptNo: row.attemptNo,
  from: row.from,
  to: row.to,
  actor: row.actor as Actor,
  cause: row.cause,
  data: row.data,
});
