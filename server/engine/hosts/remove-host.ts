import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { allowedHosts } from "@/db/schema/access";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";

export const removeHostSchema = z.strictObject({ projectId: z.uuid(), id: z.uuid() });
export type RemoveHostInput = z.input<typeof removeHostSchema>;

/** Closes a host again; requests under way end, the next is refused. */
export async function removeHost(ctx: Ctx, input: RemoveHostInput): Promise<void> {
  const { projectId, id } = parseInput(removeHostSchema, input);
  authorise(ctx, projectId, "host.manage");
  await inTransaction(ctx, async (tx) => {
    const [gone] = await tx
      .delete(allowedHosts)
      .where(and(eq(allowedHosts.projectId, projectId), eq(allowedHosts.id, id)))
      .returning();
    if (!gone) throw new DomainError("not_found", `there is no allowed host ${id} in this project; the list shows what there is`);
    await writeAudit(tx, ctx, {
      projectId,
      verb: "host.remove",
      object: { kind: "host", id, label: `${gone.host}:${gone.port}` },
      before: { host: gone.host, port: gone.port, reason: gone.reason },
    });
  });
}
