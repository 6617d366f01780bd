import postgres from "postgres";
import type { Ground } from "./ground";
import { inFlight } from "./workload";

/** What the server alone can do, without an engine: the end of every scale. */
export interface RawRates {
  /** Durable commits a second of one statement that inserts a row and updates another, over ten connections. */
  readonly commits: number;
  /** Rows a second of the same statement for 200 rows at a time, over one connection. */
  readonly batched: number;
}

const ROWS = 10_000;
const COMMITS = 6_000;
const BATCH = 200;
const BATCHES = 100;

export async function measureRaw(ground: Ground): Promise<RawRates> {
  const database = await ground.freshDatabase("empty");
  const sql = postgres(database.url, { max: 10, onnotice: () => undefined });
  try {
    await sql`create table done (id bigint primary key, count integer not null default 0)`;
    await sql`create table steps (id bigint, no integer, state text, output jsonb, primary key (id, no))`;
    await sql`insert into done select g from generate_series(0, ${ROWS - 1}::int) as g`;
    await inFlight(200, 10, (index) => commitOne(sql, index, -1));
    const commits = await perSecond(COMMITS, () =>
      inFlight(COMMITS, 50, (index) => commitOne(sql, index % ROWS, Math.floor(index / ROWS))),
    );
    const batched = await perSecond(BATCHES * BATCH, () => inFlight(BATCHES, 1, (index) => commitBatch(sql, index)));
    return { commits, batched };
  } finally {
    await sql.end();
    await database.drop();
  }
}

const commitOne = (sql: postgres.Sql, id: number, no: number) => sql`
  with made as (insert into steps values (${id}, ${no}, 'SUCCESS', '{"v":1}'))
  update done set count = count + 1 where id = ${id}
`;

function commitBatch(sql: postgres.Sql, index: number) {
  const ids = Array.from({ length: BATCH }, (_, at) => (index * BATCH + at) % ROWS);
  return sql`
    with given as (select unnest(${ids}::bigint[]) as id), made as (insert into steps select id, ${1_000 + index}, 'SUCCESS', '{"v":1}' from given)
    update done set count = count + 1 from given where done.id = given.id
  `;
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const begunMs = performance.now();
  await work();
  return Math.round((count / (performance.now() - begunMs)) * 1_000);
}
