import type { Tx } from "@/db/client";
import { insertFires } from "@/db/statements/fires/insert-fires";
import { firesBetween } from "@/server/domain/schedule/next-fires";
import type { Ctx } from "@/server/engine/context";
import { type ScheduleRow, timingOf, wasNeverOn } from "./schedule-row";

/** A schedule that was not looked at for so long has been judged by the leader long before; this bounds one edit. */
const MOST_FIRES = 10_000;

/**
 * Accounts for the fires that a schedule's old version still expects: they came, and no run was made before the edit
 * committed, be it that nobody looked or that the schedule was off and would have been judged when it is on again. Without
 * their rows the ledger would not add up (SCH-5). Epoch 0 says that an edit wrote them.
 */
export async function closeVersion(
  ctx: Pick<Ctx, "ids">,
  tx: Tx,
  row: ScheduleRow,
  { reason, now, pipelineOn }: { readonly reason: "edited" | "removed"; readonly now: Date; readonly pipelineOn: boolean },
): Promise<void> {
  if (row.health !== "OK" || row.nextFireAt === null || row.nextFireAt > now || wasNeverOn(row, pipelineOn)) return;
  const due = firesBetween(timingOf(row), row.cursorAt, now, MOST_FIRES);
  await insertFires(
    tx,
    due.map((fireAt) => ({
      id: ctx.ids.uuid(),
      projectId: row.projectId,
      pipelineId: row.pipelineId,
      scheduleId: row.id,
      scheduleVersion: row.version,
      fireAt,
      verdict: "missed",
      reason,
      lateMs: Math.max(0, now.getTime() - fireAt.getTime()),
      runId: null,
      epoch: 0,
    })),
  );
}
