import { and, asc, eq, isNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { schedules } from "@/db/schema/pipelines";
import { notifySchedules } from "@/db/statements/fires/notify-schedules";
import type { Ctx } from "@/server/engine/context";
import { switched } from "./schedule-row";

/**
 * What switching a pipeline off or on does to its schedules, in that transaction: what comes meanwhile is judged by their
 * misfire policy afterwards, and a pipeline that was never on, as an imported one, owes nothing when it is switched on.
 */
export async function holdSchedules(ctx: Pick<Ctx, "clock">, tx: Tx, pipelineId: string, pipelineEnabled: boolean): Promise<void> {
  const now = ctx.clock.now();
  const rows = await tx
    .select()
    .from(schedules)
    .where(and(eq(schedules.pipelineId, pipelineId), eq(schedules.enabled, true), eq(schedules.health, "OK"), isNull(schedules.removedAt)))
    .orderBy(asc(schedules.id))
    .for("no key update");
  for (const row of rows) {
    await tx
      .update(schedules)
      .set({ ...switched(row, pipelineEnabled, now), enabled: true })
      .where(eq(schedules.id, row.id));
  }
  await notifySchedules(tx, pipelineId);
}
