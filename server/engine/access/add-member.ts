import { and, eq } from "drizzle-orm";
import { z } from "zod";
import { memberships, users } from "@/db/schema/access";
import { emailSchema, passwordSchema, personNameSchema, roleSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { invalidInput, parseInput } from "@/server/domain/input";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";
import { authorise } from "./authorise";
import { insertUser } from "./insert-user";

export const addMemberSchema = z.strictObject({
  projectId: z.uuid(),
  email: emailSchema,
  role: roleSchema,
  /** Needed for somebody who has no account yet. */
  name: personNameSchema.optional(),
  initialPassword: passwordSchema.optional(),
});

/** Gives a person a role in the project; who has no account gets one with an initial password. */
export async function addMember(ctx: Ctx, raw: z.input<typeof addMemberSchema>): Promise<{ userId: string }> {
  const input = parseInput(addMemberSchema, raw);
  authorise(ctx, input.projectId, "member.manage");
  return inTransaction(ctx, async (tx) => {
    const [known] = await tx.select({ id: users.id, name: users.name }).from(users).where(eq(users.email, input.email));
    const userId = known?.id ?? (await insertUser(tx, ctx, newPerson(input)));
    const added = await tx
      .insert(memberships)
      .values({ projectId: input.projectId, userId, role: input.role })
      .onConflictDoNothing()
      .returning({ role: memberships.role });
    if (added.length === 0) {
      const [now] = await tx
        .select({ role: memberships.role })
        .from(memberships)
        .where(and(eq(memberships.projectId, input.projectId), eq(memberships.userId, userId)));
      throw new DomainError("conflict", `${input.email} is a member already, as ${now?.role ?? "another role"}: change the role instead`);
    }
    const name = known?.name ?? input.name ?? input.email;
    await writeAudit(tx, ctx, {
      projectId: input.projectId,
      verb: "member.add",
      object: { kind: "user", id: userId, label: name },
      after: { email: input.email, name, role: input.role, newAccount: !known },
    });
    return { userId };
  });
}

function newPerson(input: z.output<typeof addMemberSchema>) {
  const { name, initialPassword, email } = input;
  if (name !== undefined && initialPassword !== undefined) return { name, email, password: initialPassword, isAdmin: false };
  const missing = [...(name === undefined ? ["name"] : []), ...(initialPassword === undefined ? ["initialPassword"] : [])];
  throw invalidInput(
    missing.map((path) => ({ path, code: "required", message: `${email} has no account yet: give a name and an initial password` })),
  );
}
