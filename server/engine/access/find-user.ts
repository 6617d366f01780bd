import { eq } from "drizzle-orm";
import { users } from "@/db/schema/access";
import type { Ctx } from "@/server/engine/context";

export interface OwnAccount {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isAdministrator: boolean;
}

/** The person who asks; null where it is not a person. */
export async function findUser(ctx: Pick<Ctx, "db" | "principal">): Promise<OwnAccount | null> {
  if (ctx.principal.kind !== "user") return null;
  const [row] = await ctx.db.select().from(users).where(eq(users.id, ctx.principal.id));
  return row ? { id: row.id, name: row.name, email: row.email, isAdministrator: row.isAdmin } : null;
}
