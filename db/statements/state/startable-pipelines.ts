import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { textArray } from "../array";

export interface StartablePipeline {
  readonly id: string;
  readonly name: string;
  readonly versionId: string;
  readonly enabled: boolean;
  readonly archived: boolean;
}

type Found = Omit<StartablePipeline, "versionId"> & { readonly versionId: string | null };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The pipelines of a project by id or name, under a share lock: a deletion that commits first is seen, one that comes later waits. */
export async function startablePipelines(tx: Tx, projectId: string, wanted: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  const ids = [...new Set(wanted.filter((each) => UUID.test(each)))];
  const names = [...new Set(wanted.filter((each) => !UUID.test(each)))];
  const rows = await tx.execute<{ id: string; name: string; version_id: string | null; enabled: boolean; archived: boolean }>(sql`
    select id, name, live_version_id as version_id, enabled, archived_at is not null as archived from pipelines
    where project_id = ${projectId}::uuid and deleted_at is null
      and (id = any (${textArray(ids)}::uuid[]) or name = any (${textArray(names)}::text[]))
    order by id for share
  `);
  const found = new Map<string, Found>();
  for (const { id, name, version_id: versionId, enabled, archived } of rows) {
    const pipeline = { id, name, versionId, enabled, archived };
    found.set(name, pipeline);
    for (const each of ids.filter((given) => given.toLowerCase() === id)) found.set(each, pipeline);
  }
  return found;
}
