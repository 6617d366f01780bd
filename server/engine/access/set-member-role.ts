import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { memberships } from "@/db/schema/access";
import { roleSchema } from "@/server/domain/access/account";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { authorise } from "./authorise";
import { lockMember } from "./lock-member";

export const setMemberRoleSchema = z.strictObject({ projectId: z.uuid(), userId: z.string().min(1).max(64), role: roleSchema });

/** Changes what a member may do; it holds from that person's next request on. */
export async function setMemberRole(ctx: Ctx, raw: z.input<typeof setMemberRoleSchema>): Promise<void> {
  const input = parseInput(setMemberRoleSchema, raw);
  authorise(ctx, input.projectId, "member.manage");
  await inTransaction(ctx, async (tx) => {
    const member = await lockMember(tx, input);
    await tx
      .update(memberships)
      .set({ role: input.role })
      .where(and(eq(memberships.projectId, input.projectId), eq(memberships.userId, input.userId)));
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "member.setRole",
      object: { kind: "user", id: member.userId, label: member.name },
      before: { role: member.role },
      after: { role: input.role },
    });
  });
}
