import { and, eq, isNull } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { webhooks } from "@/db/schema/webhooks";
import { decideIn } from "@/server/engine/alerts/decide-new";
import { lockAlerts } from "@/server/engine/alerts/lock-alerts";
import { recoverTask } from "@/server/engine/alerts/recover-task";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { auditedWebhook, type WebhookRow } from "./webhook-row";

const CODE = "APOLLO_WEBHOOK_DISABLED_503";
const taskOf = ({ id }: Pick<WebhookRow, "id">) => `webhook/${id}`;

/**
 * Switches a subscriber off that takes nothing, with an alert: nothing is told to it until a person lets it go on. One that a
 * person has changed since it was tried is left alone: it is tried as it is now.
 */
export async function disableWebhook(ctx: Ctx, row: WebhookRow, why: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await lockAlerts(tx, row.projectId);
    const now = await storedNow(ctx, tx);
    const done = await tx
      .update(webhooks)
      .set({ disabledAt: now, disabledWhy: why, revision: row.revision + 1 })
      .where(and(eq(webhooks.id, row.id), eq(webhooks.revision, row.revision), isNull(webhooks.disabledAt)))
      .returning({ id: webhooks.id });
    if (done.length === 0) return;
    await writeAudit(tx, ctx, { projectId: row.projectId, verb: "webhook.disable", object: auditedWebhook(row), after: { why } });
    const message = `Webhook "${row.name}" to ${row.target} is switched off: ${why}. Let it go on under Settings, Webhooks.`;
    await decideIn(ctx, tx, row.projectId, [
      {
        ...{ ref: `${taskOf(row)}/${now.getTime()}`, at: now, code: CODE, message, kind: "failure", suspended: false },
        object: { task: taskOf(row), runId: null, nodeKey: null, pipelineId: null, label: `webhook ${row.name}`, owner: null },
        taskClass: "basic",
        health: { runs: 0, unhealthy: 0, inARow: 0 },
        codeGrade: null,
      },
    ]);
  });
}

/** A person lets it go on, or has taken it away: the alert of its end is over, and the next one is told. */
export const endDisabled = async (ctx: Ctx, tx: Tx, row: WebhookRow): Promise<void> =>
  recoverTask(tx, { projectId: row.projectId, code: CODE, task: taskOf(row), now: await storedNow(ctx, tx) });
