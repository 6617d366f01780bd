import { asc, eq } from "drizzle-orm";
import { pools } from "@/db/schema/pools";
import { namedPools, waitingByPool } from "@/db/statements/pools/named-pools";
import { slotUse } from "@/db/statements/pools/set-slots";
import { poolKey } from "@/server/domain/pool/limit-key";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface PoolView {
  readonly name: string;
  /** Null where it was deleted while a run still needs it: what waits for it cannot start until it is made. */
  readonly slots: number | null;
  readonly description: string;
  /** More than there are slots while a limit that was lowered is not reached yet. */
  readonly taken: number;
  /** Nodes that are ready but for a slot. */
  readonly waiting: number;
  /** Names of the pipelines whose live version names it. */
  readonly pipelines: readonly string[];
  readonly revision: number;
  readonly updatedBy: string | null;
  readonly updatedAt: Date | null;
}

/** The pools of a project with what they hold and what waits, and those that are waited for and are not there. */
export async function listPools(ctx: Ctx, projectId: string): Promise<readonly PoolView[]> {
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db.select().from(pools).where(eq(pools.projectId, projectId)).orderBy(asc(pools.name));
  const [named, waiting] = await Promise.all([namedPools(ctx.db, projectId), waitingByPool(ctx.db, projectId)]);
  const made = new Map(rows.map((row) => [row.name, row]));
  const names = [...new Set([...made.keys(), ...waiting.keys(), ...named.keys()])].sort();
  const use = await slotUse(
    ctx.db,
    names.map((name) => poolKey(projectId, name)),
  );
  return names.map((name): PoolView => {
    const row = made.get(name);
    return {
      name,
      slots: row?.slots ?? null,
      description: row?.description ?? "",
      taken: use.get(poolKey(projectId, name))?.taken ?? 0,
      waiting: waiting.get(name) ?? 0,
      pipelines: named.get(name) ?? [],
      revision: row?.revision ?? 0,
      updatedBy: row?.updatedBy ?? null,
      updatedAt: row?.updatedAt ?? null,
    };
  });
}
