import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { accounts, sessions } from "@/db/schema/access";
import { MAX_PASSWORD, passwordSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { invalidInput, parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { hashPassword, verifyPassword } from "./password";

const SALT_BYTES = 16;

export const changePasswordSchema = z.strictObject({ currentPassword: z.string().max(MAX_PASSWORD), newPassword: passwordSchema });

/** Changes one's own password; every session of it ends, this one too. */
export async function changePassword(ctx: Ctx, raw: z.input<typeof changePasswordSchema>): Promise<void> {
  const input = parseInput(changePasswordSchema, raw);
  const { principal } = ctx;
  if (principal.kind !== "user") throw new DomainError("forbidden", "only a person who is signed in has a password");
  await inTransaction(ctx, async (tx) => {
    const own = and(eq(accounts.userId, principal.id), eq(accounts.providerId, "credential"));
    const [account] = await tx.select().from(accounts).where(own).for("update");
    if (!account?.password || !(await verifyPassword(account.password, input.currentPassword))) {
      throw invalidInput([{ path: "currentPassword", code: "wrong_password", message: "is not your password" }]);
    }
    const password = await hashPassword(input.newPassword, ctx.ids.randomHex(SALT_BYTES));
    await tx
      .update(accounts)
      .set({ password, updatedAt: await storedNow(ctx, tx) })
      .where(own);
    await tx.delete(sessions).where(eq(sessions.userId, principal.id));
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: "access.changePassword",
      object: { kind: "user", id: principal.id, label: principal.label },
    });
  });
}
