import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

interface BodyLimits {
  /** Of one row, as it is stored and as text. */
  readonly each: number;
  /** Of all rows together, as text. */
  readonly total: number;
}

export interface AttemptBodies {
  readonly node_key: string;
  readonly generation: number;
  readonly no: number;
  readonly inputs: unknown;
  readonly output: unknown;
  readonly response: Record<string, unknown> | null;
}

/**
 * What the attempts of a run took and gave, the newest first, as far as it stays within limits; the others are left out.
 * The stored size is looked at before the length of the text, so that nothing large is unpacked only to be measured.
 * Index: the primary key.
 */
export async function bodiesOf(db: Executor, runId: string, { each, total }: BodyLimits): Promise<AttemptBodies[]> {
  const rows = await db.execute<AttemptBodies & Record<string, unknown>>(sql`
    select node_key, generation, no, inputs, output, response from (
      select *, sum(bytes) over (order by dispatched_at desc, node_key, generation, no) as so_far from (
        select node_key, generation, no, dispatched_at, inputs, output, response,
          coalesce(octet_length(inputs::text), 0) + coalesce(octet_length(output::text), 0) + coalesce(octet_length(response::text), 0) as bytes
        from attempts
        where run_id = ${runId}::uuid
          and coalesce(pg_column_size(inputs), 0) + coalesce(pg_column_size(output), 0) + coalesce(pg_column_size(response), 0) <= ${each}
      ) as small where bytes <= ${each}
    ) as summed where so_far <= ${total}
  `);
  return [...rows];
}

export interface AcceptedOutput {
  readonly execution_id: string;
  readonly completed_by: string | null;
  /** Null where it was left out. */
  readonly result: unknown;
  readonly omitted: boolean;
}

/** What some executions gave, within the same limits; of one that passes them it is told that it was left out. Index: the primary key. */
export async function acceptedWithin(db: Executor, ids: readonly string[], { each, total }: BodyLimits): Promise<AcceptedOutput[]> {
  if (ids.length === 0) return [];
  const rows = await db.execute<AcceptedOutput & Record<string, unknown>>(sql`
    select execution_id, completed_by, case when kept then result end as result, not kept as omitted from (
      select *, bytes is not null and sum(bytes) over (order by execution_id) <= ${total} as kept from (
        select execution_id, completed_by, result, case when length <= ${each} then length end as bytes from (
          select execution_id, completed_by, result,
            case when coalesce(pg_column_size(result), 0) <= ${each} then coalesce(octet_length(result::text), 0) end as length
          from executions where execution_id = any (${`{${ids.join(",")}}`}::uuid[])
        ) as stored
      ) as small
    ) as summed
  `);
  return [...rows];
}
