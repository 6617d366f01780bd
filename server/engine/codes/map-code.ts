import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { codeMappings, errorCodes } from "@/db/schema/codes";
import { errorCodeSchema, isPlatformsOwn } from "@/server/domain/codes/definition";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import type { Actor } from "@/server/domain/run/model";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { forgetRouting } from "@/server/engine/routing/routing-tables";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { auditedCode, codeIsStale, findCodeRow, lockCode } from "./code-row";

export const mapCodeSchema = z.strictObject({
  projectId: z.uuid(),
  /** A cluster of the inbox: events of this code, this stack and this shape of message. */
  from: z.strictObject({ code: errorCodeSchema, stackHash: z.string().max(64), shape: z.string().max(1_000) }),
  to: errorCodeSchema,
  reason: reasonSchema,
});
export type MapCodeInput = z.input<typeof mapCodeSchema>;

/**
 * Teaches that what is alike is a registered code's (EXC-1). Those that were stay as they came, and are shown under it wherever
 * codes are read; those that come bear it from the commit on, with what their worker said kept beside it.
 */
export async function mapCode(ctx: Ctx, input: MapCodeInput): Promise<{ id: string }> {
  const { projectId, from, to, reason } = parseInput(mapCodeSchema, input);
  authorise(ctx, projectId, "code.review");
  if (isPlatformsOwn(from.code)) {
    throw new DomainError(
      "invalid_input",
      `${from.code} is the platform's own code, which the engine itself goes by; it is mapped to no other`,
      {
        issues: [{ path: "from.code", code: "own_domain", message: "APOLLO_ and WORKER_ are the platform's own" }],
      },
    );
  }
  const made = await inTransaction(ctx, async (tx) => {
    const target = await lockCode(tx, projectId, to);
    if (target.state !== "registered") throw codeIsStale(target, `it is ${target.state}; map to a registered code`);
    const [known] = await tx
      .select({ code: errorCodes.code })
      .from(errorCodes)
      .where(and(eq(errorCodes.projectId, projectId), eq(errorCodes.code, from.code)));
    if (known) {
      throw new DomainError("conflict", `${from.code} stands in the register itself and keeps its events`, {
        details: { code: from.code },
      });
    }
    const id = ctx.ids.uuid();
    const [row] = await tx
      .insert(codeMappings)
      .values({
        ...{ id, projectId, fromCode: from.code, stackHash: from.stackHash, shape: from.shape, toCode: to, reason },
        madeBy: actorOf(ctx.principal),
      })
      .onConflictDoNothing()
      .returning();
    if (!row) {
      throw new DomainError("stale", `somebody has mapped these events of ${from.code} meanwhile. Look at the inbox again.`, {
        details: { code: from.code },
      });
    }
    await writeAudit(tx, ctx, { projectId, verb: "code.map", object: auditedCode(target), reason, after: { mapping: id, ...from } });
    return { id };
  });
  forgetRouting(projectId);
  ctx.ports.live.changed(projectId);
  return made;
}

export const unmapCodeSchema = z.strictObject({ projectId: z.uuid(), id: z.uuid(), reason: reasonSchema });
export type UnmapCodeInput = z.input<typeof unmapCodeSchema>;

/** Undoes what the inbox was taught: what came before it is shown under its own code again, and what comes is as it is said. */
export async function unmapCode(ctx: Ctx, input: UnmapCodeInput): Promise<void> {
  const { projectId, id, reason } = parseInput(unmapCodeSchema, input);
  authorise(ctx, projectId, "code.review");
  await inTransaction(ctx, async (tx) => {
    const own = and(eq(codeMappings.projectId, projectId), eq(codeMappings.id, id));
    const [row] = await tx.select().from(codeMappings).where(own).for("update");
    if (!row) throw new DomainError("not_found", `there is no mapping ${id} in this project; the card of a code lists those of it`);
    if (row.undoneAt) throw new DomainError("stale", `this mapping of ${row.fromCode} was undone already`, { details: { id } });
    await tx
      .update(codeMappings)
      .set({ undoneAt: sql`clock_timestamp()`, undoneBy: actorOf(ctx.principal) })
      .where(own);
    const target = await findCodeRow(tx, projectId, row.toCode);
    const before = { mapping: id, code: row.fromCode, stackHash: row.stackHash, shape: row.shape };
    await writeAudit(tx, ctx, { projectId, verb: "code.unmap", object: auditedCode(target), reason, before });
  });
  forgetRouting(projectId);
  ctx.ports.live.changed(projectId);
}

export interface MappingView {
  readonly id: string;
  readonly from: { readonly code: string; readonly stackHash: string; readonly shape: string };
  readonly reason: string;
  readonly madeBy: Actor;
  readonly madeAt: Date;
}

/** What is shown under a code beside its own events. */
export async function mappingsTo(ctx: Ctx, projectId: string, to: string): Promise<MappingView[]> {
  const rows = await ctx.db
    .select()
    .from(codeMappings)
    .where(and(eq(codeMappings.projectId, projectId), eq(codeMappings.toCode, to), isNull(codeMappings.undoneAt)))
    .orderBy(desc(codeMappings.madeAt))
    .limit(100);
  return rows.map(({ id, fromCode, stackHash, shape, reason, madeBy, madeAt }) => ({
    id,
    from: { code: fromCode, stackHash, shape },
    reason,
    madeBy: madeBy as Actor,
    madeAt,
  }));
}
