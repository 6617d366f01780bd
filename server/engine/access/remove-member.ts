import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { memberships, sessions } from "@/db/schema/access";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { authorise } from "./authorise";
import { lockMember } from "./lock-member";

export const removeMemberSchema = z.strictObject({ projectId: z.uuid(), userId: z.string().min(1).max(64) });

/** Takes a person out of the project; who is in no project any more is signed out. */
export async function removeMember(ctx: Ctx, raw: z.input<typeof removeMemberSchema>): Promise<void> {
  const input = parseInput(removeMemberSchema, raw);
  authorise(ctx, input.projectId, "member.manage");
  await inTransaction(ctx, async (tx) => {
    const member = await lockMember(tx, input);
    await tx.delete(memberships).where(and(eq(memberships.projectId, input.projectId), eq(memberships.userId, input.userId)));
    const left = await tx
      .select({ projectId: memberships.projectId })
      .from(memberships)
      .where(eq(memberships.userId, input.userId))
      .limit(1);
    if (left.length === 0) await tx.delete(sessions).where(eq(sessions.userId, input.userId));
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "member.remove",
      object: { kind: "user", id: member.userId, label: member.name },
      before: { email: member.email, role: member.role },
    });
  });
}
