import { z } from "zod";
import type { Tx } from "@/db/client";
import { pipelines } from "@/db/schema/pipelines";
import { titleSchema } from "@/server/domain/access/account";
import { DomainError } from "@/server/domain/failure";
import { parseInput } from "@/server/domain/input";
import { emptyDefinition } from "@/server/domain/pipeline/defaults";
import { pipelineNameSchema, textSchema } from "@/server/domain/pipeline/definition";
import { authorise } from "@/server/engine/access/authorise";
import { writeAudit } from "@/server/engine/audit/write-audit";
import { actorOf, type Ctx, inTransaction } from "@/server/engine/context";
import { storedNow } from "@/server/engine/stored-clock";
import type { PipelineRow } from "./pipeline-row";

export const createPipelineSchema = z.strictObject({
  projectId: z.uuid(),
  name: pipelineNameSchema,
  title: titleSchema,
  owner: textSchema(200).min(1).optional(),
});

/** A pipeline with an empty draft, for the editor; nothing of it is live. */
export async function createPipeline(
  ctx: Ctx,
  raw: z.input<typeof createPipelineSchema>,
): Promise<{ pipelineId: string; revision: number }> {
  const { projectId, name, title, owner } = parseInput(createPipelineSchema, raw);
  authorise(ctx, projectId, "pipeline.edit");
  const person = actorOf(ctx.principal).label;
  const draft = emptyDefinition({ name, title, owner: owner ?? person, domain: domainOf(name) });
  const row = await inTransaction(ctx, async (tx) => {
    const made = await insertPipeline(tx, ctx, { projectId, name, title, owner: owner ?? person, draft });
    if (!made) throw nameTaken(name);
    await writeAudit(tx, ctx, {
      projectId,
      verb: "pipeline.create",
      object: { kind: "pipeline", id: made.id, label: title },
      after: { name, title, owner: made.owner },
    });
    return made;
  });
  ctx.ports.live.changed(projectId);
  return { pipelineId: row.id, revision: row.draftRevision };
}

export const nameTaken = (name: string) =>
  new DomainError("conflict", `there is a pipeline "${name}" in this project already: choose another name`, {
    issues: [{ path: "name", code: "taken", message: `"${name}" is taken; choose another name` }],
    details: { name },
  });

export interface PipelineSeed {
  readonly projectId: string;
  readonly name: string;
  readonly title: string;
  readonly owner: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly draft?: unknown;
  readonly origin?: string;
  readonly managedBy?: "console" | "git";
  readonly enabled?: boolean;
}

/** Null when the name or the origin is taken by another transaction or before. */
export async function insertPipeline(tx: Tx, ctx: Ctx, seed: PipelineSeed): Promise<PipelineRow | null> {
  const person = actorOf(ctx.principal).label;
  const now = await storedNow(ctx, tx);
  const [row] = await tx
    .insert(pipelines)
    .values({
      id: ctx.ids.uuid(),
      projectId: seed.projectId,
      name: seed.name,
      title: seed.title,
      owner: seed.owner,
      labels: { ...seed.labels },
      ...(seed.draft === undefined ? {} : { draft: seed.draft, draftRevision: 1, draftUpdatedBy: person, draftUpdatedAt: now }),
      origin: seed.origin ?? null,
      managedBy: seed.managedBy ?? "console",
      enabled: seed.enabled ?? true,
      createdBy: person,
      createdAt: now,
      updatedBy: person,
      updatedAt: now,
    })
    .onConflictDoNothing()
    .returning();
  return row ?? null;
}

/** `orders-daily` → `ORDERS_DAILY`, as the first guess of an error-code domain. */
export function domainOf(name: string): string {
  const words = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^[0-9_]+|_+$/g, "");
  return words.slice(0, 32).replace(/_+$/, "") || "PIPELINE";
}
