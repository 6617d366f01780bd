import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { reviewSettings } from "@/db/schema/routing";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { DEFAULT_REVIEW_SLA_MINUTES } from "@/server/domain/run/review-cause";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";

export interface ReviewSettings {
  readonly slaMinutes: number;
  /** 0 while nobody has set it. */
  readonly revision: number;
}

export async function reviewSettingsOf(db: Executor, projectId: string): Promise<ReviewSettings> {
  const [row] = await db.select().from(reviewSettings).where(eq(reviewSettings.projectId, projectId));
  return row ? { slaMinutes: row.slaMinutes, revision: row.revision } : { slaMinutes: DEFAULT_REVIEW_SLA_MINUTES, revision: 0 };
}

export const setReviewSlaSchema = z.strictObject({
  projectId: z.uuid(),
  slaMinutes: z.int().min(1).max(525_600),
  /** Of the settings that were looked at; refused where they have been changed since. */
  revision: z.int().min(0),
});

/** How long a node of the project may wait for a person before the queue calls it overdue. */
export async function setReviewSla(ctx: Ctx, given: z.input<typeof setReviewSlaSchema>): Promise<ReviewSettings> {
  const { projectId, slaMinutes, revision } = parseInput(setReviewSlaSchema, given);
  authorise(ctx, projectId, "routing.manage");
  const saved = await inTransaction(ctx, async (tx) => {
    await tx.execute(sql`select from projects where id = ${projectId}::uuid for no key update`);
    const before = await reviewSettingsOf(tx, projectId);
    if (before.revision !== revision) {
      const message = `the limit was changed meanwhile: it is ${before.slaMinutes} minutes now. Look at it again.`;
      throw new DomainError("stale", message, { details: { revision: before.revision, slaMinutes: before.slaMinutes } });
    }
    const row = { slaMinutes, revision: revision + 1, updatedBy: actorOf(ctx.principal).label };
    await tx
      .insert(reviewSettings)
      .values({ projectId, ...row })
      .onConflictDoUpdate({ target: reviewSettings.projectId, set: { ...row, updatedAt: sql`clock_timestamp()` } });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "review.setLimit",
      object: { kind: "project", id: projectId, label: "review queue" },
      before: { slaMinutes: before.slaMinutes },
      after: { slaMinutes },
    });
    return { slaMinutes, revision: row.revision };
  });
  ctx.ports.live.changed(projectId);
  return saved;
}
