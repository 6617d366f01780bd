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
import type { AlertRow } from "./alert-row";
import { alertNotFound } from "./alert-view";
import { lockAlerts } from "./lock-alerts";

/** Of the alert that was looked at; one that has changed since is refused. */
const revision = z.int().min(1).optional();
export const acknowledgeAlertSchema = z.strictObject({ id: z.uuid(), revision });

/** Somebody takes care: the same alert pages nobody again, unless it gets graver. */
export async function acknowledgeAlert(ctx: Ctx, given: z.input<typeof acknowledgeAlertSchema>): Promise<{ id: string }> {
  const { id, revision } = parseInput(acknowledgeAlertSchema, given);
  await act(ctx, { id, revision, verb: "alert.acknowledge", reason: null }, (row, at, by) => {
    if (row.acknowledgedBy !== null) throw stale(row, `alert #${row.no} was acknowledged by ${row.acknowledgedBy} already`);
    return { acknowledgedAt: at, acknowledgedBy: by };
  });
  return { id };
}

export const resolveAlertSchema = z.strictObject({ id: z.uuid(), revision, reason: reasonSchema });

/** Closes an alert by hand; what fails with its code afterwards is a new one. A silence ends when what is missing is there. */
export async function resolveAlert(ctx: Ctx, given: z.input<typeof resolveAlertSchema>): Promise<{ id: string }> {
  const { id, revision, reason } = parseInput(resolveAlertSchema, given);
  await act(ctx, { id, revision, verb: "alert.resolve", reason }, (row, at, by) => {
    if (row.kind === "silence") {
      throw new DomainError(
        "conflict",
        `alert #${row.no} resolves by itself when what is missing is there; acknowledge it, or silence its code`,
        {
          details: { id },
        },
      );
    }
    return { resolvedAt: at, resolvedAs: "person", resolvedBy: by, resolvedReason: reason };
  });
  return { id };
}

type Change = (row: AlertRow, at: Date, by: string) => Partial<typeof alerts.$inferInsert>;

interface Deed {
  readonly id: string;
  readonly revision: number | undefined;
  readonly verb: string;
  readonly reason: string | null;
}

async function act(ctx: Ctx, { id, revision: seen, verb, reason }: Deed, change: Change): Promise<void> {
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
    if (seen !== undefined && seen !== row.revision)
      throw stale(
        row,
        `alert #${row.no} has changed since you looked at it: it is ${row.grade} now${row.acknowledgedBy === null ? "" : `, and ${row.acknowledgedBy} takes care`}. Look at it again.`,
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
  const [found] = await tx.select({ projectId: alerts.projectId }).from(alerts).where(eq(alerts.id, id));
  if (!found) return null;
  await lockAlerts(tx, found.projectId);
  const [row] = await tx.select().from(alerts).where(eq(alerts.id, id)).for("update");
  return row ?? null;
}

const stale = ({ id }: AlertRow, message: string) => new DomainError("stale", message, { details: { id } });
