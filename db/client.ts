import type { ExtractTablesWithRelations } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase, type PostgresJsTransaction } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { namingRecurring } from "./recurring-statements";
import * as schema from "./schema";

export type Db = PostgresJsDatabase<typeof schema>;
export type Tx = PostgresJsTransaction<typeof schema, ExtractTablesWithRelations<typeof schema>>;
/** What a statement needs: a pool or a transaction. */
export type Executor = Db | Tx;
export type Sql = postgres.Sql;

export interface ClientOptions {
  readonly url: string;
  /** Connections of this pool; a process has at most six, and the lease its own. */
  readonly max: number;
  readonly applicationName: string;
  /** Never given up for its age: where every connection is taken, none would come in its place. */
  readonly kept?: boolean;
  /** Closed after so long without a use; where it is left out, never. */
  readonly idleSeconds?: number;
  /** What `listen` brings over the pool's own connections. */
  readonly onNotify?: (channel: string, payload: string) => void;
  /** Session settings such as lock_timeout, in milliseconds. */
  readonly settings?: Readonly<Record<string, number | string>>;
}

export interface Client {
  readonly sql: Sql;
  readonly db: Db;
  close(): Promise<void>;
}

/**
 * For pools that send the same statements over and over: each is planned once a connection, for any values. The planner would
 * else make five plans of each statement and connection before it thinks of that, and 57 ms for one of a claim is much. What
 * is planned once must not read a table as a whole because it was empty then, as that of a month that has just begun.
 */
export const PLANNED_ONCE = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" } as const;

/** For a worker, which goes by keys in all that it asks. */
export const BY_KEY = { ...PLANNED_ONCE, enable_bitmapscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" } as const;

/** Opens a pool. Times are read in UTC whatever the server's zone is (B92). */
export function connect(options: ClientOptions): Client {
  const own = postgres(options.url, {
    max: options.max,
    onnotice: () => {},
    connection: { application_name: options.applicationName, TimeZone: "UTC", ...options.settings },
    connect_timeout: 10,
    ...(options.kept ? { max_lifetime: null } : {}),
    ...(options.idleSeconds === undefined ? {} : { idle_timeout: options.idleSeconds }),
    ...(options.onNotify ? { onnotify: options.onNotify } : {}),
    backoff: (attempt: number) => Math.min(5, 0.1 * 2 ** Math.min(attempt, 6)) * (0.75 + 0.5 * Math.random()),
  });
  const sql = namingRecurring(own);
  return { sql, db: drizzle(sql, { schema }), close: () => sql.end({ timeout: 5 }) };
}
