import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { errorCodes } from "@/db/schema/codes";
import { codeFactsSchema, errorCodeSchema } from "@/server/domain/codes/definition";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { auditedCode, type CodeView, codeIsStale, codeView, factsOf, lockCode } from "./code-row";

export const changeCodeSchema = z.strictObject({
  projectId: z.uuid(),
  code: errorCodeSchema,
  /** Of what was looked at; refused when somebody was quicker. */
  revision: z.int().min(1),
  facts: codeFactsSchema,
});
export type ChangeCodeInput = z.input<typeof changeCodeSchema>;

/** Changes what the register says of a code. Of a proposal, approvals of the earlier wording count no more (EXC-9). */
export async function changeCode(ctx: Ctx, input: ChangeCodeInput): Promise<CodeView> {
  const { projectId, code, revision, facts } = parseInput(changeCodeSchema, input);
  authorise(ctx, projectId, "code.review");
  const changed = await inTransaction(ctx, async (tx) => {
    const row = await lockCode(tx, projectId, code);
    if (row.revision !== revision) throw codeIsStale(row, `it is at revision ${row.revision} now`);
    const [after] = await tx
      .update(errorCodes)
      .set({ ...facts, revision: sql`${errorCodes.revision} + 1` })
      .where(eq(errorCodes.id, row.id))
      .returning();
    if (!after) throw new Error("a locked code that is not there");
    await writeAudit(tx, ctx, { projectId, verb: "code.change", object: auditedCode(row), before: factsOf(row), after: factsOf(after) });
    return codeView(after);
  });
  ctx.ports.live.changed(projectId);
  return changed;
}
