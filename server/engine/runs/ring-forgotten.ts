import { findForgottenGroups } from "@/db/statements/state/recover";
import { requireTermToLook } from "@/server/engine/leadership/require-term";
import { topUp } from "@/server/engine/pools/top-up";
import type { Recover } from "./recover";

/** A node that has been ready for this long has had its ring lost, or finds every worker busy. */
const FORGOTTEN_MS = 2_000;

/** Gives back what a lowered limit kept, and rings again for groups whose ready nodes nobody takes; a ring too many changes nothing. */
export const ringForgotten: Recover = async (ctx, fence) => {
  await requireTermToLook(ctx.db, fence);
  await topUp(ctx);
  const groups = await findForgottenGroups(ctx.db, FORGOTTEN_MS);
  if (groups.length > 0) await ctx.ports.doorbell.ring(groups);
  return { count: groups.length, more: false };
};
