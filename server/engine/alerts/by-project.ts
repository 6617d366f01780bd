import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import { isOutage } from "@/server/engine/transient";

/**
 * Does a work for each project by itself: one of which the work fails, as for what somebody holds locked, stops no other. A term
 * that is over or a database that is gone ends it for all; and where every project failed, it is none of them that is ill.
 */
export async function byProject<T extends { readonly projectId: string }>(
  ctx: Pick<Ctx, "log">,
  items: readonly T[],
  work: (projectId: string, own: readonly T[]) => Promise<number>,
): Promise<number> {
  const projects = new Map<string, T[]>();
  for (const item of items) projects.set(item.projectId, [...(projects.get(item.projectId) ?? []), item]);
  const failed: unknown[] = [];
  let count = 0;
  for (const [projectId, own] of projects) {
    try {
      count += await work(projectId, own);
    } catch (error) {
      if ((error instanceof DomainError && error.code === "stale") || isOutage(error)) throw error;
      ctx.log.warn({ err: error, projectId }, "the alerts of a project were not looked at; those of the others were");
      failed.push(error);
    }
  }
  if (failed.length > 0 && failed.length === projects.size) throw failed[0];
  return count;
}
