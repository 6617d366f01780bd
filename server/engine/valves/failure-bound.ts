import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { failureBounds } from "@/db/schema/routing";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { type Bound, boundSchema, DEFAULT_BOUND } from "@/server/domain/valve/bound";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";

export interface BoundView {
  readonly bound: Bound;
  /** 0 while nobody has set it. */
  readonly revision: number;
  readonly updatedBy: string | null;
  readonly updatedAt: Date | null;
}

/** What this version of the engine cannot read is off: nothing is stopped by it. */
export const boundOf = (stored: unknown): Bound => boundSchema.safeParse(stored).data ?? DEFAULT_BOUND;

export async function readBound(db: Executor, projectId: string): Promise<BoundView> {
  const [row] = await db.select().from(failureBounds).where(eq(failureBounds.projectId, projectId));
  if (!row) return { bound: DEFAULT_BOUND, revision: 0, updatedBy: null, updatedAt: null };
  return { bound: boundOf(row.bound), revision: row.revision, updatedBy: row.updatedBy, updatedAt: row.updatedAt };
}

export const boundPlaceSchema = z.strictObject({ projectId: z.uuid() });

/** How often a task of the project may fail before its new work is deferred (EXC-10). */
export async function loadBound(ctx: Ctx, given: z.input<typeof boundPlaceSchema>): Promise<BoundView> {
  const { projectId } = parseInput(boundPlaceSchema, given);
  authorise(ctx, projectId, "project.read");
  return readBound(ctx.db, projectId);
}

export const setBoundSchema = z.strictObject({
  projectId: z.uuid(),
  bound: boundSchema,
  /** Of the bound that was looked at; refused where it has been changed since. */
  revision: z.int().min(0),
});

/** Sets the bound of all tasks of a project; what is deferred already ends by the bound that it was deferred by. */
export async function setBound(ctx: Ctx, given: z.input<typeof setBoundSchema>): Promise<{ revision: number }> {
  const { projectId, bound, revision } = parseInput(setBoundSchema, given);
  authorise(ctx, projectId, "routing.manage");
  const next = await inTransaction(ctx, async (tx) => {
    await tx.execute(sql`select from projects where id = ${projectId}::uuid for no key update`);
    const before = await readBound(tx, projectId);
    if (before.revision !== revision) {
      throw new DomainError("stale", `the bound was changed meanwhile, by ${before.updatedBy ?? "nobody"}. Look at it again.`, {
        details: { revision: before.revision },
      });
    }
    const row = { bound, revision: revision + 1, updatedBy: actorOf(ctx.principal).label };
    await tx
      .insert(failureBounds)
      .values({ projectId, ...row })
      .onConflictDoUpdate({ target: failureBounds.projectId, set: { ...row, updatedAt: sql`clock_timestamp()` } });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "routing.setBound",
      object: { kind: "routing", id: projectId, label: `failure bound, revision ${row.revision}` },
      before: { revision, bound: before.bound },
      after: { revision: row.revision, bound },
    });
    return row.revision;
  });
  ctx.ports.live.changed(projectId);
  return { revision: next };
}
