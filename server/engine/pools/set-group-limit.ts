import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { groupLimits } from "@/db/schema/pools";
import { removeSlots, seatRunning, setSlots } from "@/db/statements/pools/set-slots";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { groupSchema, textSchema } from "@/server/domain/pipeline/definition";
import { slotsSchema } from "@/server/domain/pool/limit";
import { groupKey } from "@/server/domain/pool/limit-key";
import { authorisePlatform } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx } from "@/server/engine/context";
import { changeLimit } from "./change-limit";

export const setGroupLimitSchema = z.strictObject({
  group: groupSchema,
  /** Null takes the limit away. */
  slots: slotsSchema.nullable(),
  /** The limit that was looked at. Left out, what is there is overwritten. */
  seen: slotsSchema.nullable().optional(),
  reason: textSchema(500).trim().min(1),
});
export type SetGroupLimitInput = z.input<typeof setGroupLimitSchema>;

/**
 * How many nodes of a group run at a time, on all its workers together. What runs when a limit comes counts under it, so
 * nothing starts until less than the limit runs (RUN-5, WRK-2).
 */
export async function setGroupLimit(ctx: Ctx, input: SetGroupLimitInput): Promise<void> {
  const { group, slots, seen, reason } = parseInput(setGroupLimitSchema, input);
  authorisePlatform(ctx);
  const key = groupKey(group);
  await changeLimit(ctx, key, async (tx) => {
    const [row] = await tx.select().from(groupLimits).where(eq(groupLimits.name, group));
    const before = row?.slots ?? null;
    if (seen !== undefined && seen !== before) throw changedMeanwhile(group, before);
    if (slots === before) return;
    if (slots === null) {
      await tx.delete(groupLimits).where(eq(groupLimits.name, group));
      await removeSlots(tx, key);
    } else {
      const values = { slots, updatedBy: actorOf(ctx.principal).label };
      await tx
        .insert(groupLimits)
        .values({ name: group, ...values })
        .onConflictDoUpdate({ target: groupLimits.name, set: { ...values, updatedAt: sql`clock_timestamp()` } });
      if (before === null) await seatRunning(tx, group, key);
      await setSlots(tx, key, slots);
    }
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: slots === null ? "group.unlimit" : "group.limit",
      object: { kind: "group", id: group, label: group },
      reason,
      before: { slots: before },
      after: { slots },
    });
  });
}

const changedMeanwhile = (group: string, limit: number | null) =>
  new DomainError("stale", `the limit of group "${group}" was changed meanwhile: it is ${limit ?? "none"} now. Look at it again.`, {
    details: { group, limit },
  });
