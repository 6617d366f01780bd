import { and, eq, gt, isNull, lt, or } from "drizzle-orm";
import { memberships, serviceTokens, users } from "@/db/schema/access";
import type { Principal, Role } from "@/server/domain/access/roles";
import type { Ctx } from "@/server/engine/context";
import { storedNowSql } from "@/server/engine/stored-clock";
import { fingerprint } from "./fingerprint";

export const TOKEN_PREFIX = "apollo_";
const TOUCH_MS = 60_000;

/** A user with the roles of this moment, read for every request; null once it is disabled. */
export async function findUserPrincipal(ctx: Pick<Ctx, "db">, userId: string): Promise<Principal | null> {
  const rows = await ctx.db
    .select({ id: users.id, name: users.name, isAdmin: users.isAdmin, projectId: memberships.projectId, role: memberships.role })
    .from(users)
    .leftJoin(memberships, eq(memberships.userId, users.id))
    .where(and(eq(users.id, userId), isNull(users.disabledAt)));
  const [user] = rows;
  if (!user) return null;
  const roles = new Map(rows.flatMap((row) => (row.projectId && row.role ? [[row.projectId, row.role as Role] as const] : [])));
  return { kind: "user", id: user.id, label: user.name, isAdmin: user.isAdmin, roles };
}

/** Who a bearer token stands for; null when it is unknown, expired or revoked. Its last use is noted once a minute. */
export async function findTokenPrincipal(ctx: Pick<Ctx, "db" | "clock">, token: string): Promise<Principal | null> {
  if (!token.startsWith(TOKEN_PREFIX)) return null;
  const [found] = await ctx.db
    .select({ token: serviceTokens, now: storedNowSql(ctx) })
    .from(serviceTokens)
    .where(
      and(eq(serviceTokens.hash, fingerprint(token)), isNull(serviceTokens.revokedAt), gt(serviceTokens.expiresAt, storedNowSql(ctx))),
    );
  if (!found) return null;
  const { token: row, now } = found;
  const before = new Date(now.getTime() - TOUCH_MS);
  await ctx.db
    .update(serviceTokens)
    .set({ lastUsedAt: now })
    .where(and(eq(serviceTokens.id, row.id), or(isNull(serviceTokens.lastUsedAt), lt(serviceTokens.lastUsedAt, before))));
  return { kind: "token", id: row.id, label: row.name, projectId: row.projectId, role: row.role as Role };
}
