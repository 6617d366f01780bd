import type { Tx } from "@/db/client";
import { accounts, users } from "@/db/schema/access";
import type { Ctx } from "@/server/engine/context";
import { hashPassword } from "./password";

const SALT_BYTES = 16;

/** A person with a password, as the sign-in reads it. */
export async function insertUser(
  tx: Tx,
  ctx: Pick<Ctx, "ids">,
  person: { name: string; email: string; password: string; isAdmin: boolean },
): Promise<string> {
  const id = ctx.ids.uuid();
  const password = await hashPassword(person.password, ctx.ids.randomHex(SALT_BYTES));
  await tx.insert(users).values({ id, name: person.name, email: person.email, emailVerified: true, isAdmin: person.isAdmin });
  await tx.insert(accounts).values({ id: ctx.ids.uuid(), accountId: id, providerId: "credential", userId: id, password });
  return id;
}
