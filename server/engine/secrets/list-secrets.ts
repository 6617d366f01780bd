import { asc, eq } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { secrets } from "@/db/schema/access";
import { authorise } from "@/server/engine/access/authorise";
import { channelKeyIds } from "@/server/engine/channels/channel-row";
import type { Ctx } from "@/server/engine/context";
import { webhookKeyIds } from "@/server/engine/webhooks/webhook-row";

export interface SecretName {
  readonly name: string;
  readonly version: number;
  readonly updatedAt: Date;
  readonly createdBy: string;
}

/** Names alone: a value is written and never read back, not even its length (SEC-1). */
export async function listSecrets(ctx: Ctx, projectId: string): Promise<readonly SecretName[]> {
  authorise(ctx, projectId, "project.read");
  return ctx.db
    .select({ name: secrets.name, version: secrets.version, updatedAt: secrets.updatedAt, createdBy: secrets.createdBy })
    .from(secrets)
    .where(eq(secrets.projectId, projectId))
    .orderBy(asc(secrets.name));
}

/** Ids of the master keys that sealed what is stored. */
export async function sealedKeyIds(db: Executor): Promise<readonly string[]> {
  const rows = await db.selectDistinct({ keyId: secrets.keyId }).from(secrets);
  return [...new Set([...rows.map((row) => row.keyId), ...(await channelKeyIds(db)), ...(await webhookKeyIds(db))])];
}
