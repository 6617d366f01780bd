import { and, eq, isNull } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { alertChannels } from "@/db/schema/alerts";
import { type ChannelAccess, channelAccessSchema } from "@/server/domain/alert/channel";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";

export type ChannelRow = typeof alertChannels.$inferSelect;

/** What the seal of a channel is bound to. */
export const sealPlace = (projectId: string, channelId: string, version: number) => ({ projectId, name: `channel:${channelId}`, version });

/** Opens what it takes to send on a channel, right before use. */
export function openAccess({ ports }: Pick<Ctx, "ports">, row: ChannelRow): ChannelAccess {
  return channelAccessSchema.parse(JSON.parse(ports.vault.open(sealPlace(row.projectId, row.id, row.sealedVersion), row)));
}

export async function findChannel(db: Executor, id: string): Promise<ChannelRow | null> {
  const [row] = await db
    .select()
    .from(alertChannels)
    .where(and(eq(alertChannels.id, id), isNull(alertChannels.deletedAt)));
  return row ?? null;
}

export const channelNotFound = (id: string) =>
  new DomainError("not_found", `there is no channel ${id}, or you have no role in its project`, { details: { id } });

/** Ids of the master keys that sealed what is stored of channels. */
export async function channelKeyIds(db: Executor): Promise<string[]> {
  const rows = await db.selectDistinct({ keyId: alertChannels.keyId }).from(alertChannels);
  return rows.map(({ keyId }) => keyId);
}
