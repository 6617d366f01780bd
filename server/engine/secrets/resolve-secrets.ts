import { and, eq, inArray } from "drizzle-orm";
import { secrets } from "@/db/schema/access";
import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";

/** Opens the named secrets of a project for one attempt, right before use. Called by workers alone. */
export async function resolveSecrets(
  ctx: Pick<Ctx, "db" | "ports">,
  projectId: string,
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  if (names.length === 0) return {};
  const rows = await ctx.db
    .select()
    .from(secrets)
    .where(and(eq(secrets.projectId, projectId), inArray(secrets.name, [...names])));
  const found = new Map(rows.map((row) => [row.name, row]));
  const missing = names.filter((name) => !found.has(name));
  if (missing.length > 0) {
    throw new DomainError("not_found", `this project has no secret ${missing.join(", ")}; set it under Settings, Secrets`, {
      details: { missing },
    });
  }
  return Object.fromEntries(rows.map((row) => [row.name, ctx.ports.vault.open({ projectId, name: row.name, version: row.version }, row)]));
}
