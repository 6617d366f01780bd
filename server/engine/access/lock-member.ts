import { and, eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { memberships, users } from "@/db/schema/access";
import { DomainError } from "@/server/domain/failure";

/** The membership, held until the commit; `not_found` when there is none. */
export async function lockMember(tx: Tx, { projectId, userId }: { projectId: string; userId: string }) {
  const [member] = await tx
    .select({ userId: memberships.userId, role: memberships.role, name: users.name, email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.projectId, projectId), eq(memberships.userId, userId)))
    .for("update", { of: memberships });
  if (!member) throw new DomainError("not_found", `user ${userId} is not a member of this project`, { details: { userId } });
  return member;
}
