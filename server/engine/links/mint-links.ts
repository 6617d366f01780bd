import type { Executor } from "@/db/client";
import { actionLinks } from "@/db/schema/links";
import { LINK_MS, type LinkAction, type LinkFacts, type LinkTarget, versionOf } from "@/server/domain/links/action";
import { fingerprint } from "@/server/engine/access/fingerprint";
import type { Ctx } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";

const TOKEN_BYTES = 32;

export interface MintedLink {
  readonly action: LinkAction;
  /** Below the product's own address; it holds the token, which is kept nowhere else. */
  readonly path: string;
  readonly expiresAt: Date;
}

export interface Minting {
  readonly projectId: string;
  readonly alertId: string;
  readonly target: LinkTarget;
  readonly facts: LinkFacts;
  readonly actions: readonly LinkAction[];
  readonly maker: { readonly kind: "channel" | "person"; readonly label: string };
  /** Whose they are; null for the first who may and opens one. */
  readonly user: { readonly id: string; readonly label: string } | null;
}

/** Makes a link for each action, bound to the state that was looked at. */
export async function mintLinks(ctx: Pick<Ctx, "clock" | "ids">, tx: Executor, minting: Minting): Promise<MintedLink[]> {
  const { projectId, alertId, target, facts, actions, maker, user } = minting;
  if (actions.length === 0) return [];
  const createdAt = await storedNow(ctx, tx);
  const expiresAt = new Date(createdAt.getTime() + LINK_MS);
  const made = actions.map((action) => ({ action, token: ctx.ids.randomHex(TOKEN_BYTES) }));
  await tx.insert(actionLinks).values(
    made.map(({ action, token }) => ({
      ...{ hash: fingerprint(token), projectId, alertId, action, target, version: versionOf(action, facts), maker },
      ...{ userId: user?.id ?? null, userLabel: user?.label ?? null, createdAt, expiresAt },
    })),
  );
  return made.map(({ action, token }) => ({ action, path: `/link/${token}`, expiresAt }));
}
