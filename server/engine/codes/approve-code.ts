import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { codeApprovals, errorCodes } from "@/db/schema/codes";
import { type ApprovalDecision, decideApproval } from "@/server/domain/codes/decide-approval";
import { type CodeState, errorCodeSchema } from "@/server/domain/codes/definition";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { approvalsOf, auditedCode, type CodeRow, codeIsStale, lockCode, reviewersNeeded } from "./code-row";

export const approveCodeSchema = z.strictObject({
  projectId: z.uuid(),
  code: errorCodeSchema,
  /** Of the wording that was read; refused when it has changed. */
  revision: z.int().min(1),
});
export type ApproveCodeInput = z.input<typeof approveCodeSchema>;

/** One reviewer's approval; with the last that is needed the code is registered, in the same commit (EXC-9). */
export async function approveCode(ctx: Ctx, input: ApproveCodeInput): Promise<{ state: CodeState; left: number }> {
  const { projectId, code, revision } = parseInput(approveCodeSchema, input);
  authorise(ctx, projectId, "code.review");
  const approved = await inTransaction(ctx, async (tx) => {
    const row = await lockCode(tx, projectId, code);
    const given = await approvalsOf(tx, row);
    const actor = actorOf(ctx.principal);
    const decision = decideApproval(
      {
        ...{ state: row.state as CodeState, revision: row.revision, proposerId: row.proposedBy.id },
        ...{ approvedBy: given.map(({ userId }) => userId), needed: await reviewersNeeded(tx, projectId) },
      },
      { id: actor.id, isPerson: ctx.principal.kind === "user", revision },
    );
    if (decision.kind === "refused") throw refusal(row, decision.why);
    await tx.insert(codeApprovals).values({ codeId: row.id, revision, userId: actor.id, label: actor.label });
    const state = decision.registers ? "registered" : "proposed";
    if (decision.registers) {
      await tx.update(errorCodes).set({ state, registeredAt: sql`clock_timestamp()` }).where(eq(errorCodes.id, row.id));
    }
    await writeAudit(tx, ctx, {
      projectId,
      verb: "code.approve",
      object: auditedCode(row),
      before: { state: row.state, approvals: given.length },
      after: { state, approvals: given.length + 1, revision },
    });
    return { state, left: decision.left } as const;
  });
  ctx.ports.live.changed(projectId);
  return approved;
}

function refusal(row: CodeRow, why: Extract<ApprovalDecision, { kind: "refused" }>["why"]): DomainError {
  const details = { code: row.code, why };
  switch (why) {
    case "not_proposed":
      return codeIsStale(row, `it is ${row.state}, and nothing is left to approve`);
    case "changed":
      return codeIsStale(row, "its wording is another one now");
    case "own":
      return new DomainError("forbidden", `${row.code} is your own proposal; somebody else must approve it`, { details });
    case "twice":
      return new DomainError("conflict", `you have approved ${row.code} already; it waits for others`, { details });
    case "no_person":
      return new DomainError("forbidden", "a code is approved by people; sign in instead of using a token", { details });
  }
}
