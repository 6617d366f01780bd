import { and, desc, eq, gt } from "drizzle-orm";
import { z } from "zod";
import { alertReceipts, alerts, silences } from "@/db/schema/alerts";
import { policySchema } from "@/server/domain/alert/policy";
import type { PastAlert, PastOccurrence } from "@/server/domain/alert/replay";
import { type Simulation, simulatePolicy } from "@/server/domain/alert/simulate";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { policyOf, routesOf, silenceOf } from "./load-memory";
import { codeKeyOf, gradesOf } from "./load-occurrences";

/** The newest so many are looked at; that there were more is told. */
const MAX_SIMULATED = 1_000;

export const simulateAlertsSchema = z.strictObject({
  projectId: z.uuid(),
  days: z.int().min(1).max(90).default(30),
  /** Left out: the policy that is live. */
  policy: policySchema.optional(),
});

export interface AlertSimulation extends Simulation {
  readonly since: Date;
  /** More had occurred since then than were looked at. */
  readonly isPartial: boolean;
}

/**
 * What a draft of the alert policy would have done with what occurred in the last days, beside the live one: the same pipeline,
 * with the silences of then and the channels of now. Nothing is written. Index: alert_receipts_at.
 */
export async function simulateAlerts(ctx: Ctx, given: z.input<typeof simulateAlertsSchema>): Promise<AlertSimulation> {
  const { projectId, days, policy: draft } = parseInput(simulateAlertsSchema, given);
  authorise(ctx, projectId, "project.read");
  const since = new Date((await storedNow(ctx, ctx.db)).getTime() - days * 86_400_000);
  const { policy: live } = await policyOf(ctx.db, projectId);
  const rows = await ctx.db
    .select({ receipt: alertReceipts, alert: alerts })
    .from(alertReceipts)
    .innerJoin(alerts, eq(alerts.id, alertReceipts.alertId))
    .where(and(eq(alertReceipts.projectId, projectId), gt(alertReceipts.at, since)))
    .orderBy(desc(alertReceipts.at), desc(alertReceipts.id))
    .limit(MAX_SIMULATED + 1);
  const looked = rows.slice(0, MAX_SIMULATED);
  const grades = await gradesOf(
    ctx.db,
    looked.map(({ receipt: { code } }) => ({ projectId, code })),
  );
  const quiet = await ctx.db
    .select()
    .from(silences)
    .where(and(eq(silences.projectId, projectId), gt(silences.endsAt, since)));
  const known = new Map<string, PastAlert>();
  const past = looked.reverse().map((row): PastOccurrence => {
    const alert = known.get(row.alert.id) ?? pastAlert(row.alert);
    known.set(row.alert.id, alert);
    const { ref, at, code, message, task, runId, nodeKey, pipelineId, health, id, recoveredAt } = row.receipt;
    return {
      ...{ alert, recoveredAt, decidedAt: decidedAt(id) },
      occurrence: {
        ...{ ref, at, code, message, suspended: false, kind: row.alert.kind === "silence" ? "silence" : "failure" },
        object: { task, runId, nodeKey, pipelineId, label: row.alert.label, owner: row.alert.owner },
        codeGrade: row.alert.kind === "silence" ? null : (grades.get(codeKeyOf(projectId, code)) ?? null),
        health: { runs: health?.runs ?? 0, unhealthy: health?.unhealthy ?? 0, inARow: health?.inARow ?? 0 },
      },
    };
  });
  const world = { silences: quiet.map(silenceOf), routes: await routesOf(ctx.db, projectId) };
  const simulated = simulatePolicy({ live, draft: draft ?? live }, past, world);
  return { ...simulated, since, isPartial: rows.length > MAX_SIMULATED };
}

const pastAlert = ({ acknowledgedAt, acknowledgedBy, resolvedAt, resolvedAs }: typeof alerts.$inferSelect): PastAlert => ({
  ...{ acknowledgedAt, acknowledgedBy, resolvedAt, resolvedByItself: resolvedAs === "itself" },
});

/** The id of a receipt is a UUIDv7 of its decision. */
const decidedAt = (id: string): Date => new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
