/** Roles per project, each holding what the one before it holds (AUD-1). */
export const ROLES = ["viewer", "operator", "editor", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** What may be done, as data; every procedure declares one. */
export const PERMISSIONS = {
  "project.read": "viewer",
  "audit.read": "viewer",
  "run.trigger": "operator",
  "run.intervene": "operator",
  "pipeline.edit": "editor",
  "pipeline.publish": "editor",
  "pipeline.import": "editor",
  "schedule.toggle": "operator",
  "valve.manage": "operator",
  "code.propose": "operator",
  "code.review": "editor",
  "code.settings": "admin",
  "member.manage": "admin",
  "token.manage": "admin",
  "pool.manage": "editor",
  "routing.manage": "editor",
  "alert.handle": "operator",
  "incident.handle": "operator",
  "incident.close": "editor",
  "playbook.manage": "editor",
  "alert.configure": "editor",
  "channel.manage": "admin",
  "webhook.manage": "admin",
  "secret.manage": "admin",
  "host.manage": "admin",
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof PERMISSIONS;

/** Whether a role holds a permission. */
export const roleAllows = (role: Role, permission: Permission): boolean => ROLES.indexOf(role) >= ROLES.indexOf(PERMISSIONS[permission]);

/** Who asks, as the server knows it; roles are read per request. */
export type Principal =
  | {
      readonly kind: "user";
      readonly id: string;
      readonly label: string;
      readonly isAdmin: boolean;
      readonly roles: ReadonlyMap<string, Role>;
    }
  | { readonly kind: "token"; readonly id: string; readonly label: string; readonly projectId: string; readonly role: Role }
  | { readonly kind: "system"; readonly id: string; readonly label: string }
  | { readonly kind: "anonymous" };

/** The role that a principal holds in a project; null means that the project does not exist for it. */
export function roleIn(principal: Principal, projectId: string): Role | null {
  switch (principal.kind) {
    case "user":
      return principal.isAdmin ? "admin" : (principal.roles.get(projectId) ?? null);
    case "token":
      return principal.projectId === projectId ? principal.role : null;
    case "system":
      return "admin";
    case "anonymous":
      return null;
  }
}
