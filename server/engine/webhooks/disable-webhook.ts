import { and, eq, isNull } from "drizzle-orm";
import { webhooks } from "@/db/schema/webhooks";
import { decideIn } from "@/server/engine/alerts/decide-new";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { auditedWebhook, type WebhookRow } from "./webhook-row";

const CODE = "APOLLO_WEBHOOK_DISABLED_503";

/** Switches a subscriber off that takes nothing, with an alert: nothing is told to it until a person lets it go on. */
export async function disableWebhook(ctx: Ctx, row: WebhookRow, why: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = await storedNow(ctx, tx);
    const done = await tx
      .update(webhooks)
      .set({ disabledAt: now, disabledWhy: why, revision: row.revision + 1 })
      .where(and(eq(webhooks.id, row.id), isNull(webhooks.disabledAt)))
      .returning({ id: webhooks.id });
    if (done.length === 0) return;
    await writeAudit(tx, ctx, { projectId: row.projectId, verb: "webhook.disable", object: auditedWebhook(row), after: { why } });
    const message = `Webhook "${row.name}" to ${row.target} is switched off: ${why}. Let it go on under Settings, Webhooks.`;
    await decideIn(ctx, tx, row.projectId, [
      {
        ...{ ref: `webhook/${row.id}/${now.getTime()}`, at: now, code: CODE, message, kind: "failure", suspended: false },
        object: { task: `webhook/${row.id}`, runId: null, nodeKey: null, pipelineId: null, label: `webhook ${row.name}`, owner: null },
        taskClass: "basic",
        health: { runs: 0, unhealthy: 0, inARow: 0 },
        codeGrade: null,
      },
    ]);
  });
}
