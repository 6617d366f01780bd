import { and, asc, eq } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { allowedHosts } from "@/db/schema/access";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface AllowedHost {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

export async function listHosts(ctx: Ctx, projectId: string): Promise<readonly AllowedHost[]> {
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select()
    .from(allowedHosts)
    .where(eq(allowedHosts.projectId, projectId))
    .orderBy(asc(allowedHosts.host), asc(allowedHosts.port));
  return rows.map(({ projectId: _, ...host }) => host);
}

/** Asked by the guarded client at every dial to a private address, so that a removal acts at once. */
export async function isHostOpened(db: Executor, projectId: string, target: { host: string; port: number }): Promise<boolean> {
  const [row] = await db
    .select({ id: allowedHosts.id })
    .from(allowedHosts)
    .where(
      and(
        eq(allowedHosts.projectId, projectId),
        eq(allowedHosts.host, target.host.replace(/^\[|\]$/g, "")),
        eq(allowedHosts.port, target.port),
      ),
    )
    .limit(1);
  return row !== undefined;
}
