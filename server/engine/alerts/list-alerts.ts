import { and, desc, eq, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { alertReceipts, alerts } from "@/db/schema/alerts";
import { pipelines } from "@/db/schema/pipelines";
import { nodeRuns, runs } from "@/db/schema/runs";
import { roleIn } from "@/server/domain/access/roles";
import type { Grade } from "@/server/domain/alert/grade";
import type { Suppressor } from "@/server/domain/alert/model";
import { parseInput } from "@/server/domain/input";
import { idCursorSchema, type Page, pageLimitSchema, pageOf } from "@/server/domain/paging";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { suppressorOf } from "./alert-row";
import { type AlertView, alertNotFound, alertView } from "./alert-view";

export const alertFilterSchema = z.strictObject({
  projectId: z.uuid(),
  /** `open`: people were told, and it is not resolved. `suppressed`: open, and kept from people. */
  show: z.enum(["open", "suppressed", "all"]).default("open"),
  cursor: idCursorSchema.optional(),
  limit: pageLimitSchema,
});

/** The alerts of a project, newest first. Index: alerts_open, alerts_project. */
export async function listAlerts(ctx: Ctx, given: z.input<typeof alertFilterSchema>): Promise<Page<AlertView>> {
  const { projectId, show, cursor, limit } = parseInput(alertFilterSchema, given);
  authorise(ctx, projectId, "project.read");
  const shown = {
    open: and(isNull(alerts.resolvedAt), isNull(alerts.suppressed)),
    suppressed: and(isNull(alerts.resolvedAt), isNotNull(alerts.suppressed)),
    all: undefined,
  }[show];
  const rows = await ctx.db
    .select()
    .from(alerts)
    .where(and(eq(alerts.projectId, projectId), shown, cursor === undefined ? undefined : lt(alerts.id, cursor)))
    .orderBy(desc(alerts.id))
    .limit(limit + 1);
  return pageOf(rows, limit, (row) => row.id, alertView);
}

export const alertsOfSchema = z.strictObject({ projectId: z.uuid() });

/** How many there are that people should look at; what the rail tells, and never another number than the list shows. */
export async function countAlerts(
  ctx: Ctx,
  given: z.input<typeof alertsOfSchema>,
): Promise<{ urgent: number; open: number; suppressed: number }> {
  const { projectId } = parseInput(alertsOfSchema, given);
  authorise(ctx, projectId, "project.read");
  const told = isNull(alerts.suppressed);
  const [row] = await ctx.db
    .select({
      urgent: sql<number>`(count(*) filter (where ${and(told, inArray(alerts.grade, ["P0", "P1"]))}))::integer`,
      open: sql<number>`(count(*) filter (where ${told}))::integer`,
      suppressed: sql<number>`(count(*) filter (where not (${told})))::integer`,
    })
    .from(alerts)
    .where(and(eq(alerts.projectId, projectId), isNull(alerts.resolvedAt)));
  return row ?? { urgent: 0, open: 0, suppressed: 0 };
}

export const alertPlaceSchema = z.strictObject({ id: z.uuid() });
const MOST_RECEIPTS = 100;

export interface ReceiptView {
  readonly ref: string;
  readonly at: Date;
  readonly code: string;
  readonly message: string;
  readonly grade: Grade;
  readonly runId: string | null;
  readonly nodeKey: string | null;
  readonly recoveredAt: Date | null;
  /** All that kept it back; nothing where it was sent. */
  readonly heldBy: readonly Suppressor[];
}

export interface AlertDetails extends AlertView {
  /** Of its newest occurrences; the rest is counted. */
  readonly receipts: readonly ReceiptView[];
}

/** One alert with the receipts of what belongs to it. Index: alert_receipts_alert. */
export async function loadAlert(ctx: Ctx, given: z.input<typeof alertPlaceSchema>): Promise<AlertDetails> {
  const { id } = parseInput(alertPlaceSchema, given);
  refuseAnonymous(ctx);
  const [row] = await ctx.db.select().from(alerts).where(eq(alerts.id, id));
  if (!row || roleIn(ctx.principal, row.projectId) === null) throw alertNotFound(id);
  authorise(ctx, row.projectId, "project.read");
  const receipts = await ctx.db
    .select()
    .from(alertReceipts)
    .where(eq(alertReceipts.alertId, id))
    .orderBy(desc(alertReceipts.id))
    .limit(MOST_RECEIPTS);
  return {
    ...alertView(row),
    receipts: receipts.map(({ ref, at, code, message, grade, runId, nodeKey, recoveredAt, suppressedBy, suppressors }) => ({
      ...{ ref, at, code, message, grade: grade as Grade, runId, nodeKey, recoveredAt },
      heldBy: suppressedBy === null ? [] : (suppressors ?? []).map(suppressorOf),
    })),
  };
}

export interface RetryingView {
  readonly runId: string;
  readonly nodeKey: string;
  readonly pipeline: { readonly id: string; readonly title: string; readonly owner: string };
  readonly code: string | null;
  readonly message: string | null;
  readonly attempts: number;
  readonly dueAt: Date | null;
}

const MOST_RETRYING = 200;

/** What waits for its next attempt: listed, and nobody is paged for it (ALT-2). Read where it is kept. Index: node_runs_due. */
export async function listRetrying(ctx: Ctx, given: z.input<typeof alertsOfSchema>): Promise<readonly RetryingView[]> {
  const { projectId } = parseInput(alertsOfSchema, given);
  authorise(ctx, projectId, "project.read");
  return ctx.db
    .select({
      runId: nodeRuns.runId,
      nodeKey: nodeRuns.key,
      pipeline: { id: pipelines.id, title: pipelines.title, owner: pipelines.owner },
      code: nodeRuns.errorCode,
      message: nodeRuns.errorMessage,
      attempts: nodeRuns.attempts,
      dueAt: nodeRuns.dueAt,
    })
    .from(nodeRuns)
    .innerJoin(runs, eq(runs.id, nodeRuns.runId))
    .innerJoin(pipelines, eq(pipelines.id, runs.pipelineId))
    .where(and(eq(nodeRuns.state, "RETRYING"), isNotNull(nodeRuns.dueAt), eq(runs.projectId, projectId)))
    .orderBy(nodeRuns.dueAt)
    .limit(MOST_RETRYING);
}
