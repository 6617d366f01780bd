import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { errorCodes } from "@/db/schema/codes";
import { codeFactsSchema, errorCodeSchema, isPlatformsOwn } from "@/server/domain/codes/definition";
import { type NearCode, nearCodes } from "@/server/domain/codes/near-codes";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { auditedCode, type CodeView, codeView, factsOf, reviewersNeeded } from "./code-row";

export const proposeCodeSchema = z.strictObject({
  projectId: z.uuid(),
  code: errorCodeSchema,
  facts: codeFactsSchema,
  /** The near duplicates were looked at, and it is none of them. */
  isNoDuplicate: z.boolean().default(false),
});
export type ProposeCodeInput = z.input<typeof proposeCodeSchema>;

/** Puts a code before the reviewers (EXC-9). Where none are needed, it is registered at once. */
export async function proposeCode(ctx: Ctx, input: ProposeCodeInput): Promise<CodeView> {
  const { projectId, code, facts, isNoDuplicate } = parseInput(proposeCodeSchema, input);
  authorise(ctx, projectId, "code.propose");
  refuseOwn(code);
  const made = await inTransaction(ctx, async (tx) => {
    const known = await tx
      .select({ code: errorCodes.code, state: errorCodes.state })
      .from(errorCodes)
      .where(eq(errorCodes.projectId, projectId));
    const same = known.find((other) => other.code === code);
    if (same) throw isThere(code, same.state);
    const near = nearCodes(
      code,
      known.map((other) => other.code),
    );
    if (near.length > 0 && !isNoDuplicate) throw isNear(code, near);
    const isFree = (await reviewersNeeded(tx, projectId)) === 0;
    const [row] = await tx
      .insert(errorCodes)
      .values({
        ...facts,
        ...{ id: ctx.ids.uuid(), projectId, code, proposedBy: actorOf(ctx.principal) },
        ...(isFree ? { state: "registered", registeredAt: sql`clock_timestamp()` } : {}),
      })
      .onConflictDoNothing()
      .returning();
    if (!row) throw isThere(code, "proposed");
    await writeAudit(tx, ctx, {
      projectId,
      verb: "code.propose",
      object: auditedCode(row),
      after: { ...factsOf(row), state: row.state, ...(near.length > 0 ? { near: near.map((other) => other.code) } : {}) },
    });
    return codeView(row);
  });
  ctx.ports.live.changed(projectId);
  return made;
}

function refuseOwn(code: string): void {
  if (!isPlatformsOwn(code)) return;
  throw new DomainError("invalid_input", `${code} has a domain of the platform's own; begin with the domain of one of your pipelines`, {
    issues: [{ path: "code", code: "own_domain", message: "APOLLO_ and WORKER_ are the platform's own" }],
  });
}

const isThere = (code: string, state: string) =>
  new DomainError("conflict", `${code} is ${state} in this project already; open it instead of proposing it again`, {
    details: { code, state },
  });

const isNear = (code: string, near: readonly NearCode[]) =>
  new DomainError(
    "conflict",
    `${code} is close to ${near.map((other) => other.code).join(", ")}. Use that one, or say that it is no duplicate (isNoDuplicate).`,
    { details: { code, near } },
  );
