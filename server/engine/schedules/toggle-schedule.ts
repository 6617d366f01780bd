import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { pipelines, schedules } from "@/db/schema/pipelines";
import { notifySchedules } from "@/db/statements/fires/notify-schedules";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { validateSchedule } from "@/server/domain/schedule/validate-schedule";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { type ScheduleRow, switched, timingOf } from "./schedule-row";

export const toggleScheduleSchema = z.strictObject({
  projectId: z.uuid(),
  scheduleId: z.uuid(),
  enabled: z.boolean(),
  reason: textSchema(2_000).optional(),
});
export type ToggleSchedule = z.input<typeof toggleScheduleSchema>;

export interface ToggledSchedule {
  readonly id: string;
  readonly enabled: boolean;
  readonly nextFireAt: Date | null;
}

/**
 * Switches a schedule on or off; one that was set aside is taken up again by switching it on. Fires that came while it was off are judged by its misfire policy when it is on again, as
 * after an outage (SCH-3).
 */
export async function toggleSchedule(ctx: Ctx, input: ToggleSchedule): Promise<ToggledSchedule> {
  const { projectId, scheduleId, enabled, reason } = parseInput(toggleScheduleSchema, input);
  authorise(ctx, projectId, "schedule.toggle");
  return inTransaction(ctx, async (tx) => {
    const [row] = await tx
      .select()
      .from(schedules)
      .where(and(eq(schedules.id, scheduleId), eq(schedules.projectId, projectId), isNull(schedules.removedAt)))
      .for("no key update");
    if (!row) throw new DomainError("not_found", `there is no schedule ${scheduleId} in this project`, { details: { scheduleId } });
    if (row.enabled === enabled && (row.health === "OK" || !enabled)) return { id: row.id, enabled, nextFireAt: row.nextFireAt };
    if (enabled) refuseUnreadable(row);
    const now = await storedNow(ctx, tx);
    const pipeline = await pipelineOf(tx, row);
    const change = { ...switched(row, enabled, now, pipeline.enabled), updatedAt: now };
    await tx.update(schedules).set(change).where(eq(schedules.id, row.id));
    await notifySchedules(tx, row.pipelineId);
    await writeAudit(tx, ctx, {
      projectId,
      verb: enabled ? "schedule.enable" : "schedule.disable",
      object: { kind: "schedule", id: row.id, label: `${pipeline.name} · ${row.name}` },
      reason: reason ?? null,
      before: { enabled: row.enabled },
      after: { enabled },
    });
    return { id: row.id, enabled, nextFireAt: change.nextFireAt ?? row.nextFireAt };
  });
}

function refuseUnreadable(row: ScheduleRow): void {
  const issues = validateSchedule(timingOf(row), "schedule");
  if (issues.length === 0) return;
  const problem = issues.map((issue) => issue.message).join("; ");
  throw new DomainError(
    "unprocessable",
    `schedule ${row.name} cannot be switched on: ${problem}. Correct it in its pipeline and publish.`,
    { issues },
  );
}

async function pipelineOf(tx: Pick<Ctx["db"], "select">, row: ScheduleRow): Promise<{ name: string; enabled: boolean }> {
  const columns = { name: pipelines.name, enabled: pipelines.enabled };
  const [pipeline] = await tx.select(columns).from(pipelines).where(eq(pipelines.id, row.pipelineId));
  return pipeline ?? { name: row.pipelineId, enabled: false };
}
