import { eq } from "drizzle-orm";
import { projects } from "@/db/schema/access";
import { type Permission, roleIn } from "@/server/domain/access/roles";
import { authorise, projectNotFound, refuseAnonymous } from "@/server/engine/access/authorise";
import type { Ctx } from "@/server/engine/context";
import type { ProjectView } from "./list-projects";

/** The project with a key, as it stands in REST paths; one without a role in it cannot tell it from one that is not there. */
export async function loadProject(ctx: Ctx, key: string, permission: Permission): Promise<ProjectView> {
  refuseAnonymous(ctx);
  const [row] = await ctx.db.select().from(projects).where(eq(projects.key, key));
  if (!row || roleIn(ctx.principal, row.id) === null) throw projectNotFound(key);
  return { id: row.id, key: row.key, title: row.title, role: authorise(ctx, row.id, permission) };
}
