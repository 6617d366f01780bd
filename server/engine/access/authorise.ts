import { PERMISSIONS, type Permission, type Role, roleAllows, roleIn } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";

/**
 * The role that asks, if it may; a verb calls this before it reads anything of the project. A project in which the
 * principal has no role does not exist for it.
 */
export function authorise(ctx: Pick<Ctx, "principal">, projectId: string, permission: Permission): Role {
  refuseAnonymous(ctx);
  const role = roleIn(ctx.principal, projectId);
  if (role === null) throw projectNotFound(projectId);
  if (!roleAllows(role, permission)) {
    throw new DomainError(
      "forbidden",
      `your role in this project is ${role}; ${permission} needs ${PERMISSIONS[permission]}. Ask an administrator of the project.`,
      {
        details: { role, permission, needed: PERMISSIONS[permission] },
      },
    );
  }
  return role;
}

/** For what concerns the whole installation: an administrator, or the machine itself. */
export function authorisePlatform(ctx: Pick<Ctx, "principal">): void {
  refuseAnonymous(ctx);
  const { principal } = ctx;
  if (principal.kind === "system" || (principal.kind === "user" && principal.isAdmin)) return;
  throw new DomainError("forbidden", "this concerns the whole installation and needs an administrator. Ask one.", {
    details: { needed: "administrator" },
  });
}

export function refuseAnonymous(ctx: Pick<Ctx, "principal">): void {
  if (ctx.principal.kind === "anonymous") {
    throw new DomainError("unauthenticated", "nobody is signed in: sign in, or send `Authorization: Bearer <service token>`");
  }
}

export const projectNotFound = (project: string) =>
  new DomainError("not_found", `there is no project "${project}", or you have no role in it`, { details: { project } });
