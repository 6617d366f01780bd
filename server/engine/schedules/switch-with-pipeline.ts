import { and, asc, eq, isNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { schedules } from "@/db/schema/pipelines";
import { notifySchedules } from "@/db/statements/fires/notify-schedules";
import { switchedWithPipeline } from "./schedule-row";

/**
 * Follows a pipeline that is switched on or off, in the transaction and under the lock of that change. The schedules of one
 * that was never on owe nothing; those of one that was are judged by their misfire policy, as after any pause (SCH-3).
 */
export async function switchWithPipeline(tx: Tx, pipelineId: string, on: boolean, now: Date): Promise<void> {
  const rows = await tx
    .select()
    .from(schedules)
    .where(and(eq(schedules.pipelineId, pipelineId), eq(schedules.enabled, true), isNull(schedules.removedAt)))
    .orderBy(asc(schedules.id))
    .for("no key update");
  for (const row of rows) {
    const change = switchedWithPipeline(row, on, now);
    if (change) await tx.update(schedules).set(change).where(eq(schedules.id, row.id));
  }
  await notifySchedules(tx, pipelineId);
}
