import { eq } from "drizzle-orm";
import type { z } from "zod";
import { webhooks } from "@/db/schema/webhooks";
import { parseInput } from "@/server/domain/input";
import { OVERLAP_MS } from "@/server/domain/webhooks/retry";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { auditedWebhook, lockWebhook, newSecret, openWebhook, sealAccess, webhookAsSeenSchema } from "./webhook-row";

/** A new signing secret, told this once; for a day the one before it signs too, so that no receiver refuses anything meanwhile. */
export async function rotateSecret(
  ctx: Ctx,
  given: z.input<typeof webhookAsSeenSchema>,
): Promise<{ secret: string; revision: number; previousUntil: Date }> {
  const seen = parseInput(webhookAsSeenSchema, given);
  const secret = newSecret(ctx);
  return inTransaction(ctx, async (tx) => {
    const row = await lockWebhook(ctx, tx, seen);
    const access = openWebhook(ctx, row);
    const previousUntil = new Date((await storedNow(ctx, tx)).getTime() + OVERLAP_MS);
    const revision = row.revision + 1;
    const sealed = sealAccess(ctx, row.projectId, row.id, row.sealedVersion + 1, { url: access.url, secret, previous: access.secret });
    await tx
      .update(webhooks)
      .set({ ...sealed, previousUntil, revision })
      .where(eq(webhooks.id, row.id));
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "webhook.rotate",
      object: auditedWebhook(row),
      after: { previousUntil: previousUntil.toISOString() },
    });
    return { secret, revision, previousUntil };
  });
}
