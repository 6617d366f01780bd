import { eq, inArray } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { pipelines, pipelineVersions } from "@/db/schema/pipelines";
import { DomainError } from "@/server/domain/failure";
import { definitionSchema, type NodeDefinition, type PipelineDefinition } from "@/server/domain/pipeline/definition";
import type { RunPlan } from "@/server/domain/run/model";
import { planOf } from "@/server/domain/run/plan";

export interface Version {
  readonly id: string;
  readonly no: number;
  readonly pipelineId: string;
  readonly projectId: string;
  readonly definition: PipelineDefinition;
  readonly plan: RunPlan;
  readonly node: (key: string) => NodeDefinition;
}

/** Versions never change, so a process keeps what it has read; the least recently used ones go. */
const MAX_CACHED = 500;
const cache = new Map<string, Version>();

export async function loadVersions(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, Version>> {
  const found = new Map<string, Version>();
  for (const id of new Set(ids)) {
    const known = cache.get(id);
    if (known) found.set(id, remember(known));
  }
  const missing = [...new Set(ids)].filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  const rows = await db
    .select({ version: pipelineVersions, projectId: pipelines.projectId })
    .from(pipelineVersions)
    .innerJoin(pipelines, eq(pipelines.id, pipelineVersions.pipelineId))
    .where(inArray(pipelineVersions.id, missing));
  for (const { version, projectId } of rows) found.set(version.id, remember(toVersion(version, projectId)));
  const lost = missing.find((id) => !found.has(id));
  if (lost !== undefined) throw new DomainError("not_found", `there is no pipeline version ${lost}`, { details: { versionId: lost } });
  return found;
}

export async function loadVersion(db: Executor, id: string): Promise<Version> {
  return versionIn(await loadVersions(db, [id]), id);
}

export function versionIn(versions: ReadonlyMap<string, Version>, id: string): Version {
  const version = versions.get(id);
  if (!version) throw new Error(`version ${id} was not loaded`);
  return version;
}

function remember(version: Version): Version {
  cache.delete(version.id);
  cache.set(version.id, version);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  return version;
}

function toVersion(row: typeof pipelineVersions.$inferSelect, projectId: string): Version {
  const definition = definitionSchema.parse(row.definition);
  const nodes = new Map(definition.spec.nodes.map((node) => [node.key, node]));
  return {
    id: row.id,
    no: row.no,
    pipelineId: row.pipelineId,
    projectId,
    definition,
    plan: planOf(row.id, definition),
    node: (key) => {
      const node = nodes.get(key);
      if (!node) throw new Error(`version ${row.id} has no node "${key}"`);
      return node;
    },
  };
}
