import { findUser } from "@/server/engine/access/find-user";
import { listProjects, type ProjectView } from "@/server/engine/projects/list-projects";
import { permitted } from "../../trpc";

export interface Me {
  /** Null for nobody and for a service token. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string; readonly isAdministrator: boolean } | null;
  readonly projects: readonly ProjectView[];
}

/** Who is signed in, and where that person may do what; a stranger gets null and never an error. */
export const me = permitted("anyone").query(async ({ ctx }): Promise<Me> => {
  if (ctx.principal.kind === "anonymous") return { user: null, projects: [] };
  const [user, projects] = await Promise.all([findUser(ctx), listProjects(ctx)]);
  return { user, projects };
});
