import { desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { routingVersions } from "@/db/schema/routing";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { textSchema } from "@/server/domain/pipeline/definition";
import { rulesSchema, SHIPPED_RULES } from "@/server/domain/routing/rule";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { forgetRouting } from "./routing-tables";

export const saveRoutingSchema = z.strictObject({
  projectId: z.uuid(),
  /** The version that was looked at; refused where another has been saved since. */
  version: z.int().min(0),
  rules: rulesSchema,
  /** Why; it stands in the history and in the audit. */
  note: textSchema(500).default(""),
});
export type SaveRoutingInput = z.input<typeof saveRoutingSchema>;

/** Makes these rules the live table, as a new version; everywhere within a few seconds (EXC-5). */
export async function saveRoutingTable(ctx: Ctx, given: SaveRoutingInput): Promise<{ version: number }> {
  const { projectId, version: seen, rules, note } = parseInput(saveRoutingSchema, given);
  authorise(ctx, projectId, "routing.manage");
  const version = await inTransaction(ctx, async (tx) => {
    // Two that save at once: the second waits here, and finds the first one's version.
    await tx.execute(sql`select from projects where id = ${projectId}::uuid for no key update`);
    const [live] = await tx
      .select()
      .from(routingVersions)
      .where(eq(routingVersions.projectId, projectId))
      .orderBy(desc(routingVersions.version))
      .limit(1);
    const current = live?.version ?? 0;
    if (current !== seen) throw stale(current, seen, live?.createdBy ?? null);
    await tx.insert(routingVersions).values({ projectId, version: current + 1, rules, note, createdBy: actorOf(ctx.principal).label });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "routing.change",
      object: { kind: "routing", id: projectId, label: `version ${current + 1}` },
      reason: note === "" ? null : note,
      before: { version: current, rules: live?.rules ?? SHIPPED_RULES },
      after: { version: current + 1, rules },
    });
    return current + 1;
  });
  forgetRouting(projectId);
  ctx.ports.live.changed(projectId);
  return { version };
}

const stale = (current: number, seen: number, by: string | null): DomainError =>
  new DomainError(
    "stale",
    `the routing table is at version ${current}${by === null ? "" : `, saved by ${by}`}; you saw version ${seen}. Look at it again, and decide anew.`,
    { details: { version: current, seen } },
  );
