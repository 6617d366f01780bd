import { and, asc, eq, isNull, or } from "drizzle-orm";
import { z } from "zod";
import type { Executor } from "@/db/client";
import { memberships, users } from "@/db/schema/access";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export const incidentOwnersSchema = z.strictObject({ projectId: z.uuid() });

export interface Owner {
  readonly id: string;
  readonly name: string;
}

/** Who may be made the owner of an incident or of an action: members who may act in the project, and administrators. */
export async function listOwners(ctx: Ctx, given: z.input<typeof incidentOwnersSchema>): Promise<readonly Owner[]> {
  const { projectId } = parseInput(incidentOwnersSchema, given);
  authorise(ctx, projectId, "project.read");
  return ownersOf(ctx.db, projectId);
}

/** The owner that was chosen; refused where they may not act in the project. */
export async function ownerOf(db: Executor, projectId: string, userId: string): Promise<Owner> {
  const [found] = await ownersOf(db, projectId, userId);
  if (found) return found;
  throw new DomainError("invalid_input", "the owner must be a person who may act in this project; choose one from the list", {
    issues: [{ path: "ownerId", code: "not_a_choice", message: "choose a person who may act in this project" }],
  });
}

/** Index: memberships' key; administrators are few. */
async function ownersOf(db: Executor, projectId: string, userId?: string): Promise<readonly Owner[]> {
  const rows = await db
    .select({ id: users.id, name: users.name, role: memberships.role, isAdmin: users.isAdmin })
    .from(users)
    .leftJoin(memberships, and(eq(memberships.userId, users.id), eq(memberships.projectId, projectId)))
    .where(
      and(
        isNull(users.disabledAt),
        or(eq(users.isAdmin, true), eq(memberships.projectId, projectId)),
        ...(userId === undefined ? [] : [eq(users.id, userId)]),
      ),
    )
    .orderBy(asc(users.name), asc(users.id));
  return rows.flatMap(({ id, name, role, isAdmin }) =>
    isAdmin || (role !== null && roleAllows(role as Role, "incident.handle")) ? [{ id, name }] : [],
  );
}
