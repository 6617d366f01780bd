import { asc } from "drizzle-orm";
import { projects } from "@/db/schema/access";
import { type Role, roleIn } from "@/server/domain/access/roles";
import { refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";

export interface ProjectView {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly role: Role;
}

/** The projects in which the principal has a role, with it. */
export async function listProjects(ctx: Ctx): Promise<readonly ProjectView[]> {
  refuseAnonymous(ctx);
  const rows = await ctx.db.select().from(projects).orderBy(asc(projects.key));
  return rows.flatMap(({ id, key, title }) => {
    const role = roleIn(ctx.principal, id);
    return role === null ? [] : [{ id, key, title, role }];
  });
}
