import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { projects, secrets } from "@/db/schema/access";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";

/** Names are members of `secrets` in a template, so they are identifiers. */
const secretNameSchema = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, { error: "use letters, digits and _, starting with a letter" });

export const setSecretSchema = z.strictObject({
  projectId: z.uuid(),
  name: secretNameSchema,
  value: z
    .string()
    .min(1)
    .max(64_000)
    .refine((text) => !text.includes("\u0000"), { error: "holds a NUL character" }),
});
export type SetSecretInput = z.input<typeof setSecretSchema>;

/** Seals a value under the next version of its name; attempts that start later read the new one. */
export async function setSecret(ctx: Ctx, input: SetSecretInput): Promise<{ version: number }> {
  const { projectId, name, value } = parseInput(setSecretSchema, input);
  authorise(ctx, projectId, "secret.manage");
  return inTransaction(ctx, async (tx) => {
    // The version is part of what the seal is bound to, so two writers take turns.
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
    const [known] = await tx
      .select({ version: secrets.version })
      .from(secrets)
      .where(and(eq(secrets.projectId, projectId), eq(secrets.name, name)));
    const version = (known?.version ?? 0) + 1;
    const sealed = ctx.ports.vault.seal({ projectId, name, version }, value);
    const row = { version, keyId: ctx.ports.vault.keyId, ...sealed, createdBy: actorOf(ctx.principal).id };
    await tx
      .insert(secrets)
      .values({ projectId, name, ...row })
      .onConflictDoUpdate({ target: [secrets.projectId, secrets.name], set: { ...row, updatedAt: sql`clock_timestamp()` } });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "secret.set",
      object: { kind: "secret", id: name, label: name },
      before: known ? { version: known.version } : null,
      after: { version },
    });
    return { version };
  });
}
