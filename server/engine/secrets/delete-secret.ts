import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { secrets } from "@/db/schema/access";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";

export const deleteSecretSchema = z.strictObject({ projectId: z.uuid(), name: z.string().max(64) });
export type DeleteSecretInput = z.input<typeof deleteSecretSchema>;

/** Removes a secret; an attempt that needs it afterwards fails and says which one is missing. */
export async function deleteSecret(ctx: Ctx, input: DeleteSecretInput): Promise<void> {
  const { projectId, name } = parseInput(deleteSecretSchema, input);
  authorise(ctx, projectId, "secret.manage");
  await inTransaction(ctx, async (tx) => {
    const [gone] = await tx
      .delete(secrets)
      .where(and(eq(secrets.projectId, projectId), eq(secrets.name, name)))
      .returning({ version: secrets.version });
    if (!gone) throw new DomainError("not_found", `there is no secret "${name}" in this project; the list shows what there is`);
    await writeAudit(tx, ctx, {
      projectId,
      verb: "secret.delete",
      object: { kind: "secret", id: name, label: name },
      before: { version: gone.version },
    });
  });
}
