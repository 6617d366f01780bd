import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import type { Executor, Tx } from "@/db/client";
import { webhooks } from "@/db/schema/webhooks";
import { roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export type WebhookRow = typeof webhooks.$inferSelect;

export const webhookPlaceSchema = z.strictObject({ id: z.uuid() });
export const webhookAsSeenSchema = webhookPlaceSchema.extend({
  /** Of the webhook that was looked at. */
  revision: z.int().min(1),
});

const accessSchema = z.object({
  url: z.string(),
  secret: z.string(),
  /** The one before it, which signs too until `previous_until`. */
  previous: z.string().nullable(),
});
export type WebhookAccess = z.output<typeof accessSchema>;

const sealPlace = (projectId: string, id: string, version: number) => ({ projectId, name: `webhook:${id}`, version });

/** The columns that hold what it takes to send, under the given version. */
export function sealAccess({ ports }: Pick<Ctx, "ports">, projectId: string, id: string, sealedVersion: number, access: WebhookAccess) {
  return {
    ...ports.vault.seal(sealPlace(projectId, id, sealedVersion), JSON.stringify(access)),
    ...{ sealedVersion, keyId: ports.vault.keyId, target: new URL(access.url).host },
  };
}

/** Opens what it takes to send, right before use. */
export const openWebhook = ({ ports }: Pick<Ctx, "ports">, row: WebhookRow): WebhookAccess =>
  accessSchema.parse(JSON.parse(ports.vault.open(sealPlace(row.projectId, row.id, row.sealedVersion), row)));

/** A signing secret of Standard Webhooks: 32 bytes. */
export const newSecret = ({ ids }: Pick<Ctx, "ids">): string => `whsec_${Buffer.from(ids.randomHex(32), "hex").toString("base64")}`;

/** A webhook that the caller may manage, locked where it is to be changed; for who has no role in its project it does not exist. */
export async function managedWebhook(ctx: Ctx, db: Executor, id: string, lock?: "for update"): Promise<WebhookRow> {
  refuseAnonymous(ctx);
  const query = db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), isNull(webhooks.deletedAt)));
  const [row] = await (lock ? query.for("update") : query);
  if (!row || roleIn(ctx.principal, row.projectId) === null)
    throw new DomainError("not_found", `there is no webhook ${id}, or you have no role in its project`, { details: { id } });
  authorise(ctx, row.projectId, "webhook.manage");
  return row;
}

/** The same as it was seen, locked. */
export async function lockWebhook(ctx: Ctx, tx: Tx, { id, revision }: { id: string; revision: number }): Promise<WebhookRow> {
  const row = await managedWebhook(ctx, tx, id, "for update");
  if (row.revision !== revision) {
    throw new DomainError("stale", `webhook "${row.name}" was changed meanwhile. Look at it again.`, {
      details: { id, revision: row.revision },
    });
  }
  return row;
}

export const auditedWebhook = ({ id, name }: Pick<WebhookRow, "id" | "name">) => ({ kind: "webhook", id, label: name });

export const toldOf = ({ name, target, events, enabled }: Pick<WebhookRow, "name" | "target" | "events" | "enabled">) => ({
  ...{ name, target, events, enabled },
});

/** Ids of the master keys that sealed what is stored of webhooks. */
export async function webhookKeyIds(db: Executor): Promise<string[]> {
  const rows = await db.selectDistinct({ keyId: webhooks.keyId }).from(webhooks);
  return rows.map(({ keyId }) => keyId);
}
