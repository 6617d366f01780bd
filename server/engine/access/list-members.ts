import { asc, eq } from "drizzle-orm";
import { memberships, users } from "@/db/schema/access";
import type { Role } from "@/server/domain/access/roles";
import type { Ctx } from "@/server/engine/context";
import { authorise } from "./authorise";

export interface Member {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly isAdministrator: boolean;
  readonly disabled: boolean;
  readonly since: Date;
}

/** Who has a role in the project. Administrators of the installation have one everywhere and stand here only as members. */
export async function listMembers(ctx: Ctx, { projectId }: { projectId: string }): Promise<readonly Member[]> {
  authorise(ctx, projectId, "project.read");
  const rows = await ctx.db
    .select({ membership: memberships, user: users })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(memberships.projectId, projectId))
    .orderBy(asc(users.name), asc(users.id));
  return rows.map(({ membership, user }) => ({
    userId: user.id,
    name: user.name,
    email: user.email,
    role: membership.role as Role,
    isAdministrator: user.isAdmin,
    disabled: user.disabledAt !== null,
    since: membership.createdAt,
  }));
}
