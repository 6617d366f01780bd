import { eq } from "drizzle-orm";
import { sessions } from "@/db/schema/access";
import type { Principal } from "@/server/domain/access/roles";
import type { Ctx } from "@/server/engine/context";
import { findUserPrincipal } from "./principals";
import { ABSOLUTE_MS, IDLE_MS, type SessionFacts } from "./sign-in";

const TOUCH_MS = 60_000;

/** Who a session stands for; one that was idle for 30 minutes or is 12 hours old is ended and stands for nobody. */
export async function findSessionPrincipal(ctx: Pick<Ctx, "db" | "clock">, session: SessionFacts): Promise<Principal | null> {
  const now = ctx.clock.now();
  const idleMs = now.getTime() - session.seenAt.getTime();
  if (idleMs > IDLE_MS || now.getTime() - session.startedAt.getTime() > ABSOLUTE_MS) {
    await ctx.db.delete(sessions).where(eq(sessions.id, session.id));
    return null;
  }
  const principal = await findUserPrincipal(ctx, session.userId);
  if (principal && idleMs > TOUCH_MS) await ctx.db.update(sessions).set({ updatedAt: now }).where(eq(sessions.id, session.id));
  return principal;
}
