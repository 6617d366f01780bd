import { z } from "zod";
import { serviceTokens } from "@/db/schema/access";
import { roleSchema, titleSchema } from "@/server/domain/access/account";
import { parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { authorise } from "./authorise";
import { fingerprint } from "./fingerprint";
import { TOKEN_PREFIX } from "./principals";

const TOKEN_BYTES = 32;
const DAY_MS = 86_400_000;

export const createTokenSchema = z.strictObject({
  projectId: z.uuid(),
  name: titleSchema,
  role: roleSchema,
  days: z.int().min(1).max(366).default(90),
});

/** A token for a script or a service, of one project and one role. Only this answer ever holds it. */
export async function createToken(
  ctx: Ctx,
  raw: z.input<typeof createTokenSchema>,
): Promise<{ id: string; token: string; expiresAt: Date }> {
  const input = parseInput(createTokenSchema, raw);
  authorise(ctx, input.projectId, "token.manage");
  const id = ctx.ids.uuid();
  const token = `${TOKEN_PREFIX}${ctx.ids.randomHex(TOKEN_BYTES)}`;
  const expiresAt = await inTransaction(ctx, async (tx) => {
    const until = new Date((await storedNow(ctx, tx)).getTime() + input.days * DAY_MS);
    const { projectId, name, role } = input;
    await tx
      .insert(serviceTokens)
      .values({ id, projectId, name, role, hash: fingerprint(token), createdBy: actorOf(ctx.principal).label, expiresAt: until });
    await writeAudit(tx, ctx, {
      projectId,
      verb: "token.create",
      object: { kind: "token", id, label: name },
      after: { name, role, expiresAt: until },
    });
    return until;
  });
  return { id, token, expiresAt };
}
