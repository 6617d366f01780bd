import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { pools } from "@/db/schema/pools";
import { setSlots } from "@/db/statements/pools/set-slots";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { groupSchema, textSchema } from "@/server/domain/pipeline/definition";
import { slotsSchema } from "@/server/domain/pool/limit";
import { poolKey } from "@/server/domain/pool/limit-key";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx } from "@/server/engine/context";
import { changeLimit } from "./change-limit";

export const savePoolSchema = z.strictObject({
  projectId: z.uuid(),
  name: groupSchema,
  slots: slotsSchema,
  description: textSchema(500).optional(),
  /** Of the pool that was looked at; 0 where there was none. Left out, what is there is overwritten. */
  revision: z.int().min(0).optional(),
});
export type SavePoolInput = z.input<typeof savePoolSchema>;

type PoolRow = typeof pools.$inferSelect;

/**
 * Makes a pool, or changes it. More slots let what waits start at once; with fewer, what runs goes on, and nothing starts
 * until less than the new limit runs (RUN-5).
 */
export async function savePool(ctx: Ctx, input: SavePoolInput): Promise<{ name: string; slots: number; revision: number }> {
  const wanted = parseInput(savePoolSchema, input);
  const { projectId, name, slots } = wanted;
  authorise(ctx, projectId, "pool.manage");
  const key = poolKey(projectId, name);
  const saved = await changeLimit(ctx, key, async (tx) => {
    const before = await findPool(tx, projectId, name);
    refuseStale(name, before, wanted.revision);
    const description = wanted.description ?? before?.description ?? "";
    const row = { slots, description, updatedBy: actorOf(ctx.principal).label };
    const [after] = await tx
      .insert(pools)
      .values({ projectId, name, ...row })
      .onConflictDoUpdate({
        target: [pools.projectId, pools.name],
        set: { ...row, revision: sql`${pools.revision} + 1`, updatedAt: sql`clock_timestamp()` },
      })
      .returning();
    if (!after) throw new Error("an upsert that returns no row");
    await setSlots(tx, key, slots);
    await writeAudit(tx, ctx, {
      projectId,
      verb: before ? "pool.change" : "pool.create",
      object: { kind: "pool", id: name, label: name },
      before: before && { slots: before.slots, description: before.description },
      after: { slots, description },
    });
    return { name, slots, revision: after.revision };
  });
  ctx.ports.live.changed(projectId);
  return saved;
}

export async function findPool(tx: Tx, projectId: string, name: string): Promise<PoolRow | null> {
  const [row] = await tx
    .select()
    .from(pools)
    .where(and(eq(pools.projectId, projectId), eq(pools.name, name)));
  return row ?? null;
}

function refuseStale(name: string, pool: PoolRow | null, seen: number | undefined): void {
  const revision = pool?.revision ?? 0;
  if (seen === undefined || seen === revision) return;
  const now = pool ? `it has ${pool.slots} slots now, by ${pool.updatedBy}` : "it has been deleted";
  throw new DomainError("stale", `pool "${name}" was changed meanwhile: ${now}. Look at it again.`, { details: { name, revision } });
}
