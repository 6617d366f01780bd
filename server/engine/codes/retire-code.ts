import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { errorCodes } from "@/db/schema/codes";
import { errorCodeSchema } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { reasonSchema } from "@/server/engine/runs/intervention";
import { auditedCode, codeIsStale, factsOf, lockCode } from "./code-row";

export const retireCodeSchema = z.strictObject({ projectId: z.uuid(), code: errorCodeSchema, reason: reasonSchema });
export type RetireCodeInput = z.input<typeof retireCodeSchema>;

/** Deprecates a registered code: its history stays, and the CI check refuses it from now on. */
export async function deprecateCode(ctx: Ctx, input: RetireCodeInput): Promise<void> {
  const { projectId, code, reason } = parseInput(retireCodeSchema, input);
  authorise(ctx, projectId, "code.review");
  await inTransaction(ctx, async (tx) => {
    const row = await lockCode(tx, projectId, code);
    if (row.state !== "registered") throw codeIsStale(row, `it is ${row.state}, and only a registered code can be deprecated`);
    const gone = { state: "deprecated", deprecatedAt: sql`clock_timestamp()`, deprecatedWhy: reason };
    await tx.update(errorCodes).set(gone).where(eq(errorCodes.id, row.id));
    await writeAudit(tx, ctx, {
      ...{ projectId, verb: "code.deprecate", object: auditedCode(row), reason },
      ...{ before: { state: row.state }, after: { state: "deprecated" } },
    });
  });
  ctx.ports.live.changed(projectId);
}

/** Takes a proposal back, whoever made it; the code may be proposed again. */
export async function withdrawCode(ctx: Ctx, input: RetireCodeInput): Promise<void> {
  const { projectId, code, reason } = parseInput(retireCodeSchema, input);
  authorise(ctx, projectId, "code.review");
  await inTransaction(ctx, async (tx) => {
    const row = await lockCode(tx, projectId, code);
    if (row.state !== "proposed") throw codeIsStale(row, `it is ${row.state}, and only a proposal can be taken back`);
    await tx.delete(errorCodes).where(eq(errorCodes.id, row.id));
    await writeAudit(tx, ctx, { projectId, verb: "code.withdraw", object: auditedCode(row), reason, before: factsOf(row) });
  });
  ctx.ports.live.changed(projectId);
}
