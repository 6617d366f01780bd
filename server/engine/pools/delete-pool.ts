import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { pools } from "@/db/schema/pools";
import { poolUse } from "@/db/statements/pools/pool-use";
import { removeSlots } from "@/db/statements/pools/set-slots";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { groupSchema, textSchema } from "@/server/domain/pipeline/definition";
import { poolKey } from "@/server/domain/pool/limit-key";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import type { Ctx } from "@/server/engine/context";
import { changeLimit } from "./change-limit";
import { findPool } from "./save-pool";

export const deletePoolSchema = z.strictObject({ projectId: z.uuid(), name: groupSchema, reason: textSchema(500).trim().min(1) });
export type DeletePoolInput = z.input<typeof deletePoolSchema>;

/** Removes a pool that nothing uses any more: no live definition names it, and no node of an unfinished run. */
export async function deletePool(ctx: Ctx, input: DeletePoolInput): Promise<void> {
  const { projectId, name, reason } = parseInput(deletePoolSchema, input);
  authorise(ctx, projectId, "pool.manage");
  const key = poolKey(projectId, name);
  await changeLimit(ctx, key, async (tx) => {
    const before = await findPool(tx, projectId, name);
    if (!before) throw new DomainError("not_found", `there is no pool "${name}" in this project; the list shows what there is`);
    const { pipelines, nodes } = await poolUse(tx, projectId, name);
    if (pipelines.length > 0 || nodes > 0) throw inUse(name, pipelines, nodes);
    await removeSlots(tx, key);
    await tx.delete(pools).where(and(eq(pools.projectId, projectId), eq(pools.name, name)));
    await writeAudit(tx, ctx, {
      projectId,
      verb: "pool.delete",
      object: { kind: "pool", id: name, label: name },
      reason,
      before: { slots: before.slots, description: before.description },
    });
  });
  ctx.ports.live.changed(projectId);
}

function inUse(name: string, pipelines: readonly string[], nodes: number): DomainError {
  const parts = [
    ...(pipelines.length > 0 ? [`${pipelines.slice(0, 5).join(", ")}${pipelines.length > 5 ? " and others" : ""} name it`] : []),
    ...(nodes > 0 ? [`${nodes} nodes of runs that have not ended need it`] : []),
  ];
  return new DomainError(
    "conflict",
    `pool "${name}" is in use: ${parts.join("; ")}. Publish without it, and let these runs end or cancel them.`,
    {
      details: { name, pipelines, nodes },
    },
  );
}
