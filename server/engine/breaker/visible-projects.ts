import type { Principal } from "@/server/domain/access/roles";

/** The projects whose failures a principal may see; null for all of them. */
export function visibleProjects(principal: Principal): readonly string[] | null {
  switch (principal.kind) {
    case "system":
      return null;
    case "user":
      return principal.isAdmin ? null : [...principal.roles.keys()];
    case "token":
      return [principal.projectId];
    case "anonymous":
      return [];
  }
}
