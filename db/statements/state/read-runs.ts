import { getTableColumns, sql } from "drizzle-orm";
import { type PgTable, PgTimestamp } from "drizzle-orm/pg-core";
import type { Executor } from "../../client";
import { nodeRuns, runs } from "../../schema/runs";
import { prepared } from "../prepared";
import type { NodeRow, RunRow } from "./lock-runs";

export interface ReadRun {
  readonly row: RunRow;
  /** In the order of the plan. */
  readonly nodes: readonly NodeRow[];
}

/** A run and its nodes as JSON of their rows. */
export interface RunRecord {
  readonly run: Record<string, unknown> | null;
  readonly nodes: Record<string, unknown>[] | null;
}

type Row = RunRecord & { readonly at: string };

/**
 * Some runs with their nodes as one snapshot, and the database's clock, without a lock: whoever decides on it writes only
 * where the run's `seq`, and the state and token of its nodes, are still what it has read here. Index: the primary keys.
 */
const read = prepared<Row, { ids: string }>(
  (value) => sql`
    select date_trunc('milliseconds', clock_timestamp()) as at, r.run, n.nodes
    from (select) as one
    left join lateral (select id, to_json(runs) as run from runs where id = any (${value("ids")}::uuid[])) r on true
    left join lateral (select json_agg(node_runs order by ord) as nodes from node_runs where run_id = r.id) n on true
  `,
);

/** Also where there is no run of these ids, `at` is told. */
export async function readRuns(db: Executor, ids: readonly string[]): Promise<{ readonly runs: readonly ReadRun[]; readonly at: Date }> {
  const rows = await read(db, { ids: `{${ids.join(",")}}` });
  const [first] = rows;
  if (!first) throw new Error("the database did not tell its time");
  const found = rows.flatMap((each) => readRunOf(each) ?? []);
  return { runs: found, at: new Date(first.at) };
}

/** Reads a row that came as JSON; each column by its own name, and instants as dates. */
function reader<Row>(table: PgTable): (record: Record<string, unknown>) => Row {
  const columns = Object.entries(getTableColumns(table)).map(
    ([property, column]) => [property, column.name, column instanceof PgTimestamp] as const,
  );
  return (record) => {
    const row: Record<string, unknown> = {};
    for (const [property, name, isInstant] of columns) {
      const value = record[name];
      row[property] = isInstant && typeof value === "string" ? new Date(value) : value;
    }
    return row as Row;
  };
}

const toRun = reader<RunRow>(runs);
const toNode = reader<NodeRow>(nodeRuns);

export const readRunOf = ({ run, nodes }: RunRecord): ReadRun | null =>
  run ? { row: toRun(run), nodes: (nodes ?? []).map(toNode) } : null;
