import { z } from "zod";
import { projects } from "@/db/schema/access";
import { projectKeySchema, titleSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { authorisePlatform } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { type Ctx, inTransaction } from "@/server/engine/context";

export const createProjectSchema = z.strictObject({ key: projectKeySchema, title: titleSchema });

export async function createProject(ctx: Ctx, raw: z.input<typeof createProjectSchema>): Promise<{ id: string; key: string }> {
  const { key, title } = parseInput(createProjectSchema, raw);
  authorisePlatform(ctx);
  const id = ctx.ids.uuid();
  await inTransaction(ctx, async (tx) => {
    const made = await tx.insert(projects).values({ id, key, title }).onConflictDoNothing().returning({ id: projects.id });
    if (made.length === 0)
      throw new DomainError("conflict", `there is a project "${key}" already: choose another key`, { details: { key } });
    await writeAudit(tx, ctx, {
      projectId: id,
      verb: "project.create",
      object: { kind: "project", id, label: title },
      after: { key, title },
    });
  });
  return { id, key };
}
