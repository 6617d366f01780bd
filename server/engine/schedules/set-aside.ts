import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { schedules } from "@/db/schema/pipelines";
import { platformEvents } from "@/db/schema/platform";
import { type Ctx, inTransaction } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { ScheduleRow } from "./schedule-row";

interface Cause {
  /** UNREADABLE: what it says cannot be read. FAILING: its fires cannot be written. */
  readonly code: "APOLLO_SCHEDULE_UNREADABLE_422" | "APOLLO_SCHEDULE_FAILING_500";
  readonly reason: string;
}

/** Takes a schedule out of the leader's way: it fires no more until somebody has put it right, and says so. */
export async function setAside(ctx: Ctx, tx: Tx, row: ScheduleRow, { code, reason }: Cause): Promise<void> {
  const now = ctx.clock.now();
  await tx
    .update(schedules)
    .set({ health: "ERROR", healthReason: reason, nextFireAt: null, updatedAt: now })
    .where(eq(schedules.id, row.id));
  await tx.insert(platformEvents).values({
    id: ctx.ids.uuid(),
    code,
    message: `schedule ${row.name} fires no more: ${reason}. Correct it in its pipeline and publish, or switch it on again.`,
    data: { projectId: row.projectId, pipelineId: row.pipelineId, scheduleId: row.id, expression: row.expression, timezone: row.timezone },
    at: now,
  });
}

/** One whose fires fail by themselves, again and again, while those of others do not. */
export async function setAsideFailing(ctx: Ctx, fence: Fence, scheduleId: string, reason: string): Promise<void> {
  const projectId = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const [row] = await tx.select().from(schedules).where(eq(schedules.id, scheduleId)).for("no key update");
    if (row?.health !== "OK" || row.removedAt) return null;
    await setAside(ctx, tx, row, { code: "APOLLO_SCHEDULE_FAILING_500", reason });
    return row.projectId;
  });
  if (projectId !== null) ctx.ports.live.changed(projectId);
}
