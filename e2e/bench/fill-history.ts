import type postgres from "postgres";

/** What a run leaves behind, with the column that says whose it is. */
const TABLES = [
  ["runs", "id"],
  ["node_runs", "run_id"],
  ["executions", "run_id"],
  ["attempts", "run_id"],
  ["run_events", "run_id"],
] as const;

const BATCH = 20_000;

/**
 * Fills the tables with copies of one run that has really ended: each with ids of its own, spread over the month that
 * has begun. A column that is added later comes along by itself.
 */
export async function fillHistory(sql: postgres.Sql, runs: number): Promise<void> {
  const [model] = await sql<{ id: string }[]>`select id from runs where state = 'SUCCESS' order by id desc limit 1`;
  if (!model) throw new Error("no run has ended that could be copied");
  await sql.unsafe(MADE_ID);
  const copies = await Promise.all(TABLES.map(([table, owner]) => copyOf(sql, table, owner)));
  for (let from = 0; from < runs; from += BATCH) {
    const until = Math.min(runs, from + BATCH) - 1;
    await sql.begin(async (tx) => {
      // The triggers judge transitions, and these rows make none.
      await tx`set local session_replication_role = replica`;
      await tx`set local synchronous_commit = off`;
      for (const copy of copies) await tx.unsafe(copy, [model.id, from, until]);
    });
  }
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
}

/** A UUIDv7 that is the same for the same number and name: what belongs together finds itself. */
const MADE_ID = `
  create or replace function bench_id(no bigint, name text) returns uuid language sql stable as $$
    select (lpad(to_hex((extract(epoch from date_trunc('month', now() at time zone 'UTC') at time zone 'UTC') * 1000)::bigint + no), 12, '0')
      || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid from md5(name || no) as h
  $$
`;

async function copyOf(sql: postgres.Sql, table: string, owner: string): Promise<string> {
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
  `;
  const names = columns.map(({ name }) => `"${name}"`);
  const values = columns.map(({ name }) => copiedAs(table, owner, name));
  return `
    insert into ${table} (${names.join(", ")})
    select ${values.join(", ")} from ${table} t cross join generate_series($2::bigint, $3::bigint) as g (no) where t.${owner} = $1::uuid
  `;
}

function copiedAs(table: string, owner: string, column: string): string {
  if (column === owner) return "bench_id(g.no, 'run')";
  if (column === "execution_id") return "bench_id(g.no, t.execution_id::text)";
  if (table === "run_events" && column === "id") return "nextval('run_event_ids')";
  return `t."${column}"`;
}
