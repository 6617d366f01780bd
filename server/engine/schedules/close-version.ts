import type { Tx } from "@/db/client";
import { owedFires } from "@/db/schema/pipelines";
import { insertFires, type NewFire } from "@/db/statements/fires/insert-fires";
import { firesBetween } from "@/server/domain/schedule/next-fires";
import type { Ctx } from "@/server/engine/context";
import { type ScheduleRow, timingOf, wasNeverOn } from "./schedule-row";

/** What one edit writes itself; the rest is owed, and the leader writes it. */
const FIRES_OF_ONE_EDIT = 1_000;
const MOST_LATE_MS = 2_147_483_647;

interface Closing {
  readonly reason: "edited" | "removed";
  readonly now: Date;
  readonly pipelineOn: boolean;
}

/**
 * Accounts for the fires that a schedule's old version still expects: they came, and no run was made before the edit
 * committed, be it that nobody looked or that the schedule was off and would have been judged when it is on again. Without
 * their rows the ledger would not add up (SCH-5). Epoch 0 says that an edit wrote them.
 */
export async function closeVersion(ctx: Pick<Ctx, "ids">, tx: Tx, row: ScheduleRow, { reason, now, pipelineOn }: Closing): Promise<void> {
  if (row.health !== "OK" || row.nextFireAt === null || row.nextFireAt > now || wasNeverOn(row, pipelineOn)) return;
  const due = firesBetween(timingOf(row), row.cursorAt, now, FIRES_OF_ONE_EDIT);
  const of = { projectId: row.projectId, pipelineId: row.pipelineId, scheduleId: row.id, scheduleVersion: row.version, reason };
  await insertFires(
    tx,
    due.map((fireAt) => missedLine(ctx, of, fireAt, now)),
  );
  const last = due.at(-1);
  if (due.length < FIRES_OF_ONE_EDIT || !last) return;
  const { expression, dialect, timezone, gap, fold } = row;
  await tx.insert(owedFires).values({ ...of, expression, dialect, timezone, gap, fold, cursorAt: last, untilAt: now });
}

/** A fire that came before the edit which says that it is not to be run. */
export function missedLine(
  ctx: Pick<Ctx, "ids">,
  of: Pick<NewFire, "projectId" | "pipelineId" | "scheduleId" | "scheduleVersion" | "reason">,
  fireAt: Date,
  editedAt: Date,
): NewFire {
  const lateMs = Math.min(Math.max(0, editedAt.getTime() - fireAt.getTime()), MOST_LATE_MS);
  const { projectId, pipelineId, scheduleId, scheduleVersion, reason } = of;
  const line = { id: ctx.ids.uuid(), projectId, pipelineId, scheduleId, scheduleVersion, fireAt };
  return { ...line, verdict: "missed", reason, lateMs, runId: null, epoch: 0 };
}
