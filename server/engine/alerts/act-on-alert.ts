import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { alerts } from "@/db/schema/alerts";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { storedNow } from "@/server/engine/stored-clock";
import { type AlertRow, alertNotFound } from "./alert-view";
import { alertPlaceSchema } from "./list-alerts";

/** Somebody takes care: the same alert pages nobody again, unless it gets graver. */
export async function acknowledgeAlert(ctx: Ctx, given: z.input<typeof alertPlaceSchema>): Promise<{ id: string }> {
  const { id } = parseInput(alertPlaceSchema, given);
  await act(ctx, id, "alert.acknowledge", null, (row, at, by) => {
    if (row.acknowledgedBy !== null) throw stale(row, `alert #${row.no} was acknowledged by ${row.acknowledgedBy} already`);
    return { acknowledgedAt: at, acknowledgedBy: by };
  });
  return { id };
}

export const resolveAlertSchema = z.strictObject({ id: z.uuid(), reason: reasonSchema });

/** Closes an alert by hand; what fails with its code afterwards is a new one. A silence ends when what is missing is there. */
export async function resolveAlert(ctx: Ctx, given: z.input<typeof resolveAlertSchema>): Promise<{ id: string }> {
  const { id, reason } = parseInput(resolveAlertSchema, given);
  await act(ctx, id, "alert.resolve", reason, (row, at, by) => {
    if (row.kind === "silence") {
      throw new DomainError(
        "conflict",
        `alert #${row.no} resolves by itself when what is missing is there; acknowledge it, or silence its code`,
        {
          details: { id },
        },
      );
    }
    return { resolvedAt: at, resolvedAs: "person", resolvedBy: by, resolvedReason: reason, silenceId: null };
  });
  return { id };
}

type Change = (row: AlertRow, at: Date, by: string) => Partial<typeof alerts.$inferInsert>;

async function act(ctx: Ctx, id: string, verb: string, reason: string | null, change: Change): Promise<void> {
  refuseAnonymous(ctx);
  const projectId = await inTransaction(ctx, async (tx) => {
    const row = await lockAlert(tx, id);
    if (!row || roleIn(ctx.principal, row.projectId) === null) throw alertNotFound(id);
    authorise(ctx, row.projectId, "alert.handle");
    if (row.resolvedAt)
      throw stale(
        row,
        `alert #${row.no} was resolved${row.resolvedBy === null ? " by itself" : ` by ${row.resolvedBy}`} at ${row.resolvedAt.toISOString()}`,
      );
    const set = change(row, await storedNow(ctx, tx), actorOf(ctx.principal).label);
    await tx
      .update(alerts)
      .set(set)
      .where(and(eq(alerts.id, id), isNull(alerts.resolvedAt)));
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb,
      object: { kind: "alert", id, label: `#${row.no} ${row.code}` },
      reason,
      before: { grade: row.grade, count: row.count, acknowledgedBy: row.acknowledgedBy },
    });
    return row.projectId;
  });
  ctx.ports.live.changed(projectId);
}

async function lockAlert(tx: Tx, id: string): Promise<AlertRow | null> {
  const [row] = await tx.select().from(alerts).where(eq(alerts.id, id)).for("update");
  return row ?? null;
}

const stale = ({ id }: AlertRow, message: string) => new DomainError("stale", message, { details: { id } });
