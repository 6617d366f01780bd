import { and, asc, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { owedFires } from "@/db/schema/pipelines";
import { insertFires } from "@/db/statements/fires/insert-fires";
import { firesBetween } from "@/server/domain/schedule/next-fires";
import { inTransaction } from "@/server/engine/context";
import { requireTerm } from "@/server/engine/leadership/require-term";
import type { Recover } from "@/server/engine/runs/recover";
import { missedLine } from "./close-version";
import { timingOf } from "./schedule-row";

const BATCH = 1_000;

/** Writes the lines that an edit left to the leader, some at a time, so that each expected fire has its row (SCH-5). */
export const writeOwedFires: Recover = async (ctx, fence, options = {}) => {
  const limit = options.limit ?? BATCH;
  const { count, projectId } = await inTransaction(ctx, async (tx) => {
    await requireTerm(tx, fence);
    const [owed] = await tx.select().from(owedFires).orderBy(asc(owedFires.untilAt)).limit(1).for("update", { skipLocked: true });
    if (!owed) return { count: 0, projectId: null };
    const due = firesBetween(timingOf(owed), owed.cursorAt, owed.untilAt, limit);
    await insertFires(
      tx,
      due.map((fireAt) => missedLine(ctx, owed, fireAt, owed.untilAt)),
    );
    await moveOn(tx, owed, due.length < limit ? null : (due.at(-1) ?? null));
    return { count: due.length, projectId: owed.projectId };
  });
  if (projectId !== null) ctx.ports.live.changed(projectId);
  return { count, more: projectId !== null };
};

async function moveOn(tx: Tx, owed: typeof owedFires.$inferSelect, cursorAt: Date | null): Promise<void> {
  const own = and(eq(owedFires.scheduleId, owed.scheduleId), eq(owedFires.scheduleVersion, owed.scheduleVersion));
  if (cursorAt === null) await tx.delete(owedFires).where(own);
  else await tx.update(owedFires).set({ cursorAt }).where(own);
}
