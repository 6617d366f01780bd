import { eq } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema/access";
import { alertPolicies } from "@/db/schema/alerts";
import { type AlertPolicy, policySchema } from "@/server/domain/alert/policy";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { alertsOfSchema } from "./list-alerts";
import { policyOf } from "./load-memory";

export interface PolicyView {
  readonly policy: AlertPolicy;
  /** 0: the one that is shipped. */
  readonly revision: number;
  readonly savedBy: string | null;
  readonly savedAt: Date | null;
}

/** The rules, windows and inhibitions that hold in a project. */
export async function loadPolicy(ctx: Ctx, given: z.input<typeof alertsOfSchema>): Promise<PolicyView> {
  const { projectId } = parseInput(alertsOfSchema, given);
  authorise(ctx, projectId, "project.read");
  return policyOf(ctx.db, projectId);
}

export const savePolicySchema = z.strictObject({ projectId: z.uuid(), revision: z.int().min(0), policy: policySchema });

/** Saves the policy whole, as its next revision; one that saw an older one is refused. It holds for what occurs from now on. */
export async function savePolicy(ctx: Ctx, given: z.input<typeof savePolicySchema>): Promise<{ revision: number }> {
  const { projectId, revision: seen, policy } = parseInput(savePolicySchema, given);
  authorise(ctx, projectId, "alert.configure");
  const revision = await inTransaction(ctx, async (tx) => {
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
    const before = await policyOf(tx, projectId);
    if (before.revision !== seen) {
      throw new DomainError(
        "stale",
        `the alert rules were changed meanwhile${before.savedBy === null ? "" : ` by ${before.savedBy}`}. Look at them again.`,
        {
          details: { revision: before.revision },
        },
      );
    }
    const next = seen + 1;
    const savedAt = await storedNow(ctx, tx);
    await tx.insert(alertPolicies).values({ projectId, revision: next, policy, savedBy: actorOf(ctx.principal).label, savedAt });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "alert.configure",
      object: { kind: "alert-policy", id: projectId, label: `revision ${next}` },
      before: before.policy,
      after: policy,
    });
    return next;
  });
  ctx.ports.live.changed(projectId);
  return { revision };
}
