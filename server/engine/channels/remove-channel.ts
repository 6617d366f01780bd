import { eq } from "drizzle-orm";
import { z } from "zod";
import { alertChannels } from "@/db/schema/alerts";
import { roleIn } from "@/server/domain/access/roles";
import { parseInput } from "@/server/domain/input";
import { authorise, refuseAnonymous } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { channelNotFound, findChannel } from "./channel-row";

export const channelPlaceSchema = z.strictObject({ id: z.uuid() });

/** Takes a channel away; its log of deliveries stays, what waits to be sent by it does not go. */
export async function removeChannel(ctx: Ctx, given: z.input<typeof channelPlaceSchema>): Promise<void> {
  const { id } = parseInput(channelPlaceSchema, given);
  refuseAnonymous(ctx);
  const projectId = await inTransaction(ctx, async (tx) => {
    const row = await findChannel(tx, id);
    if (!row || roleIn(ctx.principal, row.projectId) === null) throw channelNotFound(id);
    authorise(ctx, row.projectId, "channel.manage");
    await tx
      .update(alertChannels)
      .set({ deletedAt: await storedNow(ctx, tx) })
      .where(eq(alertChannels.id, id));
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "channel.delete",
      object: { kind: "channel", id, label: row.name },
      before: { kind: row.kind, target: row.target, grade: row.grade },
    });
    return row.projectId;
  });
  ctx.ports.live.changed(projectId);
}
