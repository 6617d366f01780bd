import { desc, eq, sql } from "drizzle-orm";
import { serviceTokens } from "@/db/schema/access";
import type { Role } from "@/server/domain/access/roles";
import type { Ctx } from "@/server/engine/context";
import { storedNowSql } from "@/server/engine/stored-clock";
import { authorise } from "./authorise";

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date | null;
  readonly state: "valid" | "expired" | "revoked";
}

/** The project's tokens, newest first; what they are is not kept and cannot be shown. */
export async function listTokens(ctx: Ctx, { projectId }: { projectId: string }): Promise<readonly TokenRow[]> {
  authorise(ctx, projectId, "token.manage");
  const rows = await ctx.db
    .select({ row: serviceTokens, expired: sql<boolean>`${serviceTokens.expiresAt} <= ${storedNowSql(ctx)}` })
    .from(serviceTokens)
    .where(eq(serviceTokens.projectId, projectId))
    .orderBy(desc(serviceTokens.id));
  return rows.map(({ row, expired }) => ({
    id: row.id,
    name: row.name,
    role: row.role as Role,
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    state: row.revokedAt ? "revoked" : expired ? "expired" : "valid",
  }));
}
