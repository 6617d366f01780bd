import { and, eq, inArray, sql } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { pools } from "@/db/schema/pools";
import { slots } from "@/db/schema/runs";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";
import { SLOTS_OF_NEW_POOL } from "@/server/domain/pool/limit";
import { poolKey } from "@/server/domain/pool/limit-key";
import { type AuditDeed, writeAudits } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx } from "@/server/engine/context";

/** Names of the pools that a definition needs. */
export const poolsNamedBy = ({ spec }: PipelineDefinition): readonly string[] =>
  [...new Set(spec.nodes.flatMap((node) => (node.type === "wait" ? [] : (node.pool ?? []))))].sort();

/**
 * Makes the pools that a definition names and nobody has made, with one slot each: what is published can run, and nothing
 * shared is overrun because of a name that is mistyped. Answers with the names, for the author to be told.
 */
export async function ensurePools(tx: Tx, ctx: Ctx, projectId: string, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  // As a change of a limit does it: the slots first, then the pool, so that the two never wait for each other.
  await tx.execute(sql`lock table slots in row exclusive mode`);
  const updatedBy = actorOf(ctx.principal).label;
  const made = await tx
    .insert(pools)
    .values(names.map((name) => ({ projectId, name, slots: SLOTS_OF_NEW_POOL, updatedBy })))
    .onConflictDoNothing()
    .returning({ name: pools.name });
  if (made.length === 0) return [];
  const created = made.map(({ name }) => name).sort();
  const numbers = Array.from({ length: SLOTS_OF_NEW_POOL }, (_, index) => index + 1);
  await tx
    .insert(slots)
    .values(created.flatMap((name) => numbers.map((no) => ({ key: poolKey(projectId, name), no }))))
    .onConflictDoNothing();
  const deeds = created.map((name): AuditDeed => {
    const entry = { projectId, verb: "pool.create", object: { kind: "pool", id: name, label: name }, after: { slots: SLOTS_OF_NEW_POOL } };
    return { ctx, entry };
  });
  await writeAudits(tx, deeds);
  return created;
}

/** Those that `ensurePools` would make. */
export async function missingPools(db: Executor, projectId: string, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const rows = await db
    .select({ name: pools.name })
    .from(pools)
    .where(and(eq(pools.projectId, projectId), inArray(pools.name, [...names])));
  const there = new Set(rows.map(({ name }) => name));
  return names.filter((name) => !there.has(name));
}
