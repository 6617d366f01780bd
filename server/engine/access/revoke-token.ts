import { and, eq, isNull } from "drizzle-orm";
import { z } from "zod";
import { serviceTokens } from "@/db/schema/access";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { authorise } from "./authorise";

export const revokeTokenSchema = z.strictObject({ projectId: z.uuid(), tokenId: z.uuid() });

/** Ends a token at once; its next request is refused. */
export async function revokeToken(ctx: Ctx, raw: z.input<typeof revokeTokenSchema>): Promise<void> {
  const input = parseInput(revokeTokenSchema, raw);
  authorise(ctx, input.projectId, "token.manage");
  await inTransaction(ctx, async (tx) => {
    const [token] = await tx
      .update(serviceTokens)
      .set({ revokedAt: await storedNow(ctx, tx) })
      .where(and(eq(serviceTokens.id, input.tokenId), eq(serviceTokens.projectId, input.projectId), isNull(serviceTokens.revokedAt)))
      .returning();
    if (!token)
      throw new DomainError("not_found", `there is no valid token ${input.tokenId} in this project`, {
        details: { tokenId: input.tokenId },
      });
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "token.revoke",
      object: { kind: "token", id: token.id, label: token.name },
      before: { name: token.name, role: token.role, expiresAt: token.expiresAt },
    });
  });
}
