import { z } from "zod";
import { allowedHosts } from "@/db/schema/access";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { targetSchema } from "./host-name";

export const allowHostSchema = z.strictObject({
  projectId: z.uuid(),
  ...targetSchema.shape,
  reason: z.string().trim().min(1).max(500),
});
export type AllowHostInput = z.input<typeof allowHostSchema>;

/** Opens one private host and port to the nodes of a project (SEC-2). Opening it twice changes nothing. */
export async function allowHost(ctx: Ctx, input: AllowHostInput): Promise<{ id: string }> {
  const { projectId, host, port, reason } = parseInput(allowHostSchema, input);
  authorise(ctx, projectId, "host.manage");
  return inTransaction(ctx, async (tx) => {
    const [made] = await tx
      .insert(allowedHosts)
      .values({ id: ctx.ids.uuid(), projectId, host, port, reason, createdBy: actorOf(ctx.principal).id })
      .onConflictDoUpdate({ target: [allowedHosts.projectId, allowedHosts.host, allowedHosts.port], set: { reason } })
      .returning({ id: allowedHosts.id });
    if (!made) throw new Error("an upsert that returns no row");
    await writeAudit(tx, ctx, {
      projectId,
      verb: "host.allow",
      object: { kind: "host", id: made.id, label: `${host}:${port}` },
      reason,
      after: { host, port },
    });
    return made;
  });
}
