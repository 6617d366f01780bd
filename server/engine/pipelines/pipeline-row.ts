import { and, eq, isNull } from "drizzle-orm";
import type { Executor, Tx } from "@/db/client";
import { pipelines, pipelineVersions } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import type { PipelineDefinition } from "@/server/domain/pipeline/definition";

export type PipelineRow = typeof pipelines.$inferSelect;
export type VersionRow = typeof pipelineVersions.$inferSelect;

export const pipelineNotFound = (pipeline: string) =>
  new DomainError("not_found", `there is no pipeline "${pipeline}" in this project; it may have been deleted`, { details: { pipeline } });

/** The row, held until the commit: one author, one publish, one delete at a time. */
export async function lockPipeline(tx: Tx, place: { projectId: string; pipelineId: string }): Promise<PipelineRow> {
  const [row] = await tx
    .select()
    .from(pipelines)
    .where(and(eq(pipelines.id, place.pipelineId), eq(pipelines.projectId, place.projectId), isNull(pipelines.deletedAt)))
    .for("update");
  if (!row) throw pipelineNotFound(place.pipelineId);
  return row;
}

export async function readPipeline(db: Executor, place: { projectId: string; pipelineId: string }): Promise<PipelineRow> {
  const [row] = await db
    .select()
    .from(pipelines)
    .where(and(eq(pipelines.id, place.pipelineId), eq(pipelines.projectId, place.projectId), isNull(pipelines.deletedAt)));
  if (!row) throw pipelineNotFound(place.pipelineId);
  return row;
}

export async function findPipelineByName(db: Executor, projectId: string, name: string): Promise<PipelineRow | null> {
  const [row] = await db
    .select()
    .from(pipelines)
    .where(and(eq(pipelines.projectId, projectId), eq(pipelines.name, name), isNull(pipelines.deletedAt)));
  return row ?? null;
}

/** The version that new runs are made of; null before the first publish. */
export async function liveVersion(db: Executor, row: Pick<PipelineRow, "liveVersionId">): Promise<VersionRow | null> {
  if (row.liveVersionId === null) return null;
  const [version] = await db.select().from(pipelineVersions).where(eq(pipelineVersions.id, row.liveVersionId));
  return version ?? null;
}

/** Only what passed the schema is stored, so that reading it back needs no second judgement. */
export const definitionOf = (version: Pick<VersionRow, "definition">): PipelineDefinition => version.definition as PipelineDefinition;

/** A pipeline that git manages is read-only in the console, and says so (PIP-7). */
export function refuseGitManaged(row: PipelineRow): void {
  if (row.managedBy !== "git") return;
  throw new DomainError("conflict", `${row.name} is managed from git: change its file there and apply it, or release it from git first`, {
    details: { managedBy: "git" },
  });
}
