import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { oneTimeLinks } from "@/db/schema/access";
import { emailSchema, passwordSchema, personNameSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { FIRST_ADMIN, refuseSecondAdmin } from "./create-first-admin-link";
import { fingerprint } from "./fingerprint";
import { insertUser } from "./insert-user";

export const firstAdminSchema = z.strictObject({
  token: z.string().min(1).max(200),
  name: personNameSchema,
  email: emailSchema,
  password: passwordSchema,
});
export type FirstAdminInput = z.input<typeof firstAdminSchema>;

/** Consumes the link: the one who holds it becomes the administrator. Nobody has to be signed in for it. */
export async function becomeFirstAdmin(ctx: Ctx, input: FirstAdminInput): Promise<{ userId: string; email: string }> {
  const { token, name, email, password } = parseInput(firstAdminSchema, input);
  return inTransaction(ctx, async (tx) => {
    // Two people with one link: the second waits here and then finds the first.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('apollo11.first-admin'))`);
    await refuseSecondAdmin(tx);
    const now = await storedNow(ctx, tx);
    const used = await tx
      .update(oneTimeLinks)
      .set({ usedAt: now })
      .where(
        and(
          eq(oneTimeLinks.hash, fingerprint(token)),
          eq(oneTimeLinks.purpose, FIRST_ADMIN),
          isNull(oneTimeLinks.usedAt),
          gt(oneTimeLinks.expiresAt, now),
        ),
      )
      .returning({ hash: oneTimeLinks.hash });
    if (used.length === 0) {
      throw new DomainError(
        "not_found",
        "this link is not valid any more: it works once and for 15 minutes. Start Apollo-11 again, or run `npm run --silent first-admin-link`, for a new one",
      );
    }
    const userId = await insertUser(tx, ctx, { name, email, password, isAdmin: true });
    const acting: Ctx = { ...ctx, principal: { kind: "user", id: userId, label: name, isAdmin: true, roles: new Map() } };
    await writeAudit(tx, acting, {
      projectId: null,
      verb: "access.firstAdmin",
      object: { kind: "user", id: userId, label: name },
      after: { name, email, isAdmin: true },
    });
    return { userId, email };
  });
}
