import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Tx } from "@/db/client";
import { projects } from "@/db/schema/access";
import { playbooks } from "@/db/schema/playbooks";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { playbookSchema } from "@/server/domain/playbooks/definition";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import { auditedPlaybook, lockPlaybook, type OwnPlaybook, ownPlaybook, refuseSameTitle } from "./playbook-row";

const MOST_PLAYBOOKS = 200;

export const createPlaybookSchema = z.strictObject({ projectId: z.uuid(), form: playbookSchema });

/** Writes down a new playbook of a project. */
export async function createPlaybook(ctx: Ctx, given: z.input<typeof createPlaybookSchema>): Promise<OwnPlaybook> {
  const { projectId, form } = parseInput(createPlaybookSchema, given);
  authorise(ctx, projectId, "playbook.manage");
  const row = await inTransaction(ctx, async (tx) => {
    // Two who write at once take turns, so that none is over the limit and no title is there twice.
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for("update");
    await refuseTooMany(tx, projectId);
    await refuseSameTitle(tx, projectId, form.title, null);
    const savedAt = await storedNow(ctx, tx);
    const [row] = await tx
      .insert(playbooks)
      .values({ id: ctx.ids.uuid(savedAt), projectId, ...form, savedBy: actorOf(ctx.principal).label, savedAt })
      .returning();
    if (!row) throw new Error("an insert that returns no row");
    await writeAudit(tx, ctx, {
      projectId,
      verb: "playbook.create",
      object: { kind: "playbook", id: row.id, label: row.title },
      after: auditedPlaybook(row),
    });
    return row;
  });
  ctx.ports.live.changed(projectId);
  return ownPlaybook(row);
}

export const playbookAsSeenSchema = z.strictObject({ id: z.uuid(), revision: z.int().min(1) });
export const changePlaybookSchema = playbookAsSeenSchema.extend({ form: playbookSchema });

/** Changes one; what stood there before stays in the audit. */
export async function changePlaybook(ctx: Ctx, given: z.input<typeof changePlaybookSchema>): Promise<OwnPlaybook> {
  const { id, revision, form } = parseInput(changePlaybookSchema, given);
  const after = await inTransaction(ctx, async (tx) => {
    const row = await lockPlaybook(ctx, tx, id, revision);
    await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, row.projectId)).for("update");
    await refuseSameTitle(tx, row.projectId, form.title, id);
    const savedAt = await storedNow(ctx, tx);
    const [after] = await tx
      .update(playbooks)
      .set({ ...form, savedBy: actorOf(ctx.principal).label, savedAt, revision: sql`${playbooks.revision} + 1` })
      .where(eq(playbooks.id, id))
      .returning();
    if (!after) throw new Error("a locked playbook that is not there");
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "playbook.change",
      object: { kind: "playbook", id, label: after.title },
      before: auditedPlaybook(row),
      after: auditedPlaybook(after),
    });
    return after;
  });
  ctx.ports.live.changed(after.projectId);
  return ownPlaybook(after);
}

/** Takes one away; what it said stays in the audit. */
export async function removePlaybook(ctx: Ctx, given: z.input<typeof playbookAsSeenSchema>): Promise<{ readonly id: string }> {
  const { id, revision } = parseInput(playbookAsSeenSchema, given);
  const projectId = await inTransaction(ctx, async (tx) => {
    const row = await lockPlaybook(ctx, tx, id, revision);
    await tx.delete(playbooks).where(eq(playbooks.id, id));
    await writeAudit(tx, ctx, {
      projectId: row.projectId,
      verb: "playbook.remove",
      object: { kind: "playbook", id, label: row.title },
      before: auditedPlaybook(row),
    });
    return row.projectId;
  });
  ctx.ports.live.changed(projectId);
  return { id };
}

async function refuseTooMany(tx: Tx, projectId: string): Promise<void> {
  if ((await tx.$count(playbooks, eq(playbooks.projectId, projectId))) < MOST_PLAYBOOKS) return;
  throw new DomainError("conflict", `this project has ${MOST_PLAYBOOKS} playbooks; take one away before you write another`);
}
