import { join } from "node:path";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { startScratchPostgres } from "@/db/embedded";
import { startScratchRedis } from "@/workers/launch/scratch-redis";

const TEMPLATE = "bench_template";

/** What must be on, so that a commit that was told is on the disk. */
const DURABLE = ["fsync", "synchronous_commit", "full_page_writes"] as const;

export interface Ground {
  readonly postgresUrl: string;
  readonly postgresPid: number;
  /** The server's log. */
  readonly logFile: string;
  readonly redisUrl: string;
  readonly redisPid: number | undefined;
  /** What was read from the server, such as `fsync on`. */
  readonly durable: string;
  readonly version: string;
  /** An empty database with the product's tables, or with none of them. */
  freshDatabase(kind: "migrated" | "empty"): Promise<Database>;
  /** Statements that ran since the last call, the dearest first; only where costs are counted. */
  statementCosts(): Promise<readonly StatementCost[]>;
  close(): Promise<void>;
}

export interface Database {
  readonly url: string;
  drop(): Promise<void>;
}

export interface StatementCost {
  readonly calls: number;
  /** Of planning and execution. */
  readonly totalMs: number;
  readonly planMs: number;
  readonly executeMs: number;
  readonly walBytes: number;
  readonly query: string;
}

export const databaseUrl = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
};

export interface GroundOptions {
  /** Costs a little by itself: only for profiles. */
  readonly countCosts: boolean;
  readonly plansOverMs?: number | undefined;
}

const countingSettings = (plansOverMs: number | undefined): Record<string, string> => ({
  shared_preload_libraries: plansOverMs === undefined ? "pg_stat_statements" : "pg_stat_statements,auto_explain",
  "pg_stat_statements.max": "10000",
  "pg_stat_statements.track_planning": "on",
  "pg_stat_statements.track": "all",
  ...(plansOverMs === undefined
    ? {}
    : {
        "auto_explain.log_min_duration": `${plansOverMs}ms`,
        "auto_explain.log_analyze": "on",
        "auto_explain.log_timing": "on",
        "auto_explain.log_triggers": "on",
        "auto_explain.log_buffers": "on",
        "auto_explain.log_nested_statements": "on",
        "auto_explain.log_parameter_max_length": "0",
      }),
});

/** The embedded PostgreSQL with the product's own durable settings, and a Redis; both end with this process. */
export async function openGround(root: string, options: GroundOptions): Promise<Ground> {
  const server = await startScratchPostgres(options.countCosts ? countingSettings(options.plansOverMs) : {});
  const redis = await startScratchRedis();
  const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
  const durable = await requireDurable(admin);
  const [told] = await admin<{ version: string }[]>`select current_setting('server_version') as version`;
  await admin.unsafe(`create database ${TEMPLATE}`);
  await migrateTemplate(databaseUrl(server.url, TEMPLATE), join(root, "db", "migrations"));
  if (options.countCosts) await admin.unsafe("create extension pg_stat_statements");
  let made = 0;
  return {
    postgresUrl: server.url,
    postgresPid: server.pid,
    logFile: server.log,
    redisUrl: redis.url,
    redisPid: redis.pid,
    durable,
    version: told?.version ?? "unknown",
    freshDatabase: async (kind) => {
      const name = `bench_${++made}`;
      await admin.unsafe(`create database ${name}${kind === "migrated" ? ` template ${TEMPLATE}` : ""}`);
      // What lay in the buffers is written before the clock runs, for ours and for peers.
      await admin.unsafe("checkpoint");
      return { url: databaseUrl(server.url, name), drop: async () => void (await admin.unsafe(`drop database ${name} with (force)`)) };
    },
    statementCosts: async () => (options.countCosts ? costsOf(admin) : []),
    close: async () => {
      await admin.end({ timeout: 1 });
      await Promise.all([server.stop(), redis.stop()]);
    },
  };
}

async function requireDurable(sql: postgres.Sql): Promise<string> {
  const rows = await sql<
    { name: string; setting: string }[]
  >`select name, setting from pg_settings where name in ${sql([...DURABLE])} order by name`;
  const off = rows.filter(({ setting }) => setting !== "on");
  if (rows.length !== DURABLE.length || off.length > 0) throw new Error(`the server is not durable: ${JSON.stringify(rows)}`);
  return rows.map(({ name, setting }) => `${name} ${setting}`).join(", ");
}

async function migrateTemplate(url: string, migrationsFolder: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await migrate(drizzle(sql), { migrationsFolder });
  await sql.end();
}

async function costsOf(sql: postgres.Sql): Promise<StatementCost[]> {
  const rows = await sql<StatementCost[]>`
    select calls::int as calls, total_plan_time + total_exec_time as "totalMs", total_plan_time / greatest(calls, 1) as "planMs",
      mean_exec_time as "executeMs", wal_bytes::float8 as "walBytes",
      left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 160) as query
    from pg_stat_statements where query !~ 'pg_stat_statements|^(create|drop) database' order by 2 desc limit 25
  `;
  await sql`select pg_stat_statements_reset()`;
  return [...rows];
}
