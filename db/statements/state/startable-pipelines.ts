import { sql } from "drizzle-orm";
import type { Tx } from "../../client";
import { textArray } from "../array";
import { prepared } from "../prepared";

export interface StartablePipeline {
  readonly id: string;
  readonly name: string;
  readonly versionId: string;
  readonly enabled: boolean;
  readonly archived: boolean;
}

type Found = Omit<StartablePipeline, "versionId"> & { readonly versionId: string | null };

interface FoundRow {
  readonly id: string;
  readonly name: string;
  readonly version_id: string | null;
  readonly enabled: boolean;
  readonly archived: boolean;
}

const select = prepared<FoundRow, { projectId: string; ids: string; names: string }>(
  (value) => sql`
    select id, name, live_version_id as version_id, enabled, archived_at is not null as archived from pipelines
    where project_id = ${value("projectId")}::uuid and deleted_at is null
      and (id = any (${value("ids")}::uuid[]) or name = any (${value("names")}::text[]))
    order by id for share
  `,
);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The pipelines of a project by id or name, under a share lock: a deletion that commits first is seen, one that comes later waits. */
export async function startablePipelines(tx: Tx, projectId: string, wanted: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  const ids = [...new Set(wanted.filter((each) => UUID.test(each)))];
  const names = [...new Set(wanted.filter((each) => !UUID.test(each)))];
  const rows = await select(tx, { projectId, ids: textArray(ids), names: textArray(names) });
  const found = new Map<string, Found>();
  for (const { id, name, version_id: versionId, enabled, archived } of rows) {
    const pipeline = { id, name, versionId, enabled, archived };
    found.set(name, pipeline);
    for (const each of ids.filter((given) => given.toLowerCase() === id)) found.set(each, pipeline);
  }
  return found;
}
