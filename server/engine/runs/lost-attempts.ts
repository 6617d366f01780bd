import { revokedAmong } from "@/db/statements/state/revoked-attempts";
import type { Ctx } from "@/server/engine/context";

export interface HeldAttempt {
  readonly runId: string;
  readonly key: string;
  readonly token: number;
}

/** Which of the attempts that a worker holds are its no longer, as after a cancel or a time-out by the engine: it kills those. */
export async function revokedAttempts(
  ctx: Pick<Ctx, "db">,
  worker: { readonly id: string },
  held: readonly HeldAttempt[],
): Promise<HeldAttempt[]> {
  if (held.length === 0) return [];
  const revoked = await revokedAmong(ctx.db, worker.id, held);
  return held.filter(({ runId, key, token }) => revoked.has(`${runId}/${key}/${token}`));
}
