import { eq } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { oneTimeLinks, users } from "@/db/schema/access";
import { DomainError } from "@/server/domain/failure";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { authorisePlatform } from "./authorise";
import { fingerprint } from "./fingerprint";

export const FIRST_ADMIN = "first-admin";
const LINK_MS = 15 * 60_000;
const LINK_BYTES = 32;

/** A link by which the first administrator signs in: once, within 15 minutes, and only while there is none. */
export async function createFirstAdminLink(ctx: Ctx, input: { baseUrl: string }): Promise<{ url: string; expiresAt: Date }> {
  authorisePlatform(ctx);
  const token = ctx.ids.randomHex(LINK_BYTES);
  const expiresAt = await inTransaction(ctx, async (tx) => {
    await refuseSecondAdmin(tx);
    const until = new Date((await storedNow(ctx, tx)).getTime() + LINK_MS);
    // A new link ends the ones before it: one at a time is valid.
    await tx.delete(oneTimeLinks).where(eq(oneTimeLinks.purpose, FIRST_ADMIN));
    await tx.insert(oneTimeLinks).values({ hash: fingerprint(token), purpose: FIRST_ADMIN, expiresAt: until });
    await writeAudit(tx, ctx, {
      projectId: null,
      verb: "access.firstAdminLink",
      object: { kind: "installation", id: "installation", label: "Apollo-11" },
      after: { expiresAt: until },
    });
    return until;
  });
  return { url: `${input.baseUrl}/first-admin?token=${token}`, expiresAt };
}

export async function hasAdministrator(db: Executor): Promise<boolean> {
  const found = await db.select({ id: users.id }).from(users).where(eq(users.isAdmin, true)).limit(1);
  return found.length > 0;
}

export async function refuseSecondAdmin(tx: Executor): Promise<void> {
  if (await hasAdministrator(tx)) {
    throw new DomainError("conflict", "there is an administrator already: sign in, or ask that person to add you as a member");
  }
}
