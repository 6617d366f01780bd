import { sql } from "drizzle-orm";
import { pino } from "pino";
import { v7 } from "uuid";
import { BY_KEY, type Client, connect, type Db, PLANNED_ONCE } from "@/db/client";
import { openBullDoorbell } from "@/server/adapters/doorbell-bullmq";
import { guardedHttp } from "@/server/adapters/http-guarded";
import { openLiveFeed } from "@/server/adapters/live-feed";
import { openMail } from "@/server/adapters/mail";
import { openVault } from "@/server/adapters/vault";
import type { Principal } from "@/server/domain/access/roles";
import { DomainError } from "@/server/domain/failure";
import { loadCookieSecret } from "@/server/engine/access/load-cookie-secret";
import type { SignIn } from "@/server/engine/access/sign-in";
import { ClockWatch, MAX_CLOCK_OFFSET_MS } from "@/server/engine/clock-watch";
import type { Clock, Ctx, Ids, Log, RequestSource } from "@/server/engine/context";
import { isHostOpened } from "@/server/engine/hosts/list-hosts";
import { inTime, LATE } from "@/server/engine/in-time";
import { LineWatch } from "@/server/engine/line-watch";
import type { Ports } from "@/server/engine/ports";
import { type RenewableLine, renewableLine } from "@/server/engine/renewable-line";
import { rootMessage, sqlState } from "@/server/engine/root-cause";
import { sealedKeyIds } from "@/server/engine/secrets/list-secrets";
import { type Env, readEnv } from "@/server/env";
import { randomHex } from "@/server/random-hex";

export type ProcessName = "web" | "scheduler" | "worker" | "tool";

export interface RuntimeOptions {
  readonly name: ProcessName;
  /** How many groups this process will listen to. */
  readonly listeners?: number;
  /** Another environment than the process's own, in tests; likewise the clock, its watch and the log. */
  readonly env?: Env;
  readonly clock?: Clock;
  readonly clockWatchMs?: number;
  /** A pool that has not answered for so long is given up. */
  readonly lineLimitMs?: number;
  readonly log?: Log;
}

/** One process's world: everything that ports and verbs need, opened once. */
export interface Runtime {
  readonly name: ProcessName;
  readonly env: Env;
  readonly client: Client;
  readonly ports: Ports;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  ctx(principal: Principal, source: RequestSource): Ctx;
  /** The process acting by itself. */
  systemCtx(): Ctx;
  /** A pool of one connection, for a lease or for logs: it never waits behind the others. Closed with the runtime. */
  lane(purpose: string, settings?: Readonly<Record<string, number | string>>): Client;
  /** Gives up a pool that did not answer for a new one, which every context of this process uses from then on. */
  renewPool(dead: Db): void;
  /** How far this process's clock is ahead of the database's, by what is certain. */
  clockOffsetMs(): Promise<number>;
  close(): Promise<void>;
}

const POOL_CONNECTIONS = 6;
/**
 * Whoever is frozen in the middle of a transaction loses it before its worker's lease has been over for long: what it has locked
 * can then be taken from it, and a settle that waits behind it is answered in time.
 */
const FROZEN = { idle_in_transaction_session_timeout: 10_000 } as const;
/** A scheduler leads over connections of its own, and needs this pool for little. */
const SCHEDULER_POOL = { max: 2, idleSeconds: 10, settings: { ...FROZEN, ...PLANNED_ONCE } } as const;
const WORKER_POOL = { max: POOL_CONNECTIONS, settings: { ...FROZEN, ...BY_KEY } } as const;
/** What pages ask for has many shapes, and each is planned for its values. */
const POOL = { max: POOL_CONNECTIONS, settings: FROZEN } as const;
const POOLS = { scheduler: SCHEDULER_POOL, worker: WORKER_POOL, web: POOL, tool: POOL } as const satisfies Record<ProcessName, object>;
const PARTITION_MONTHS_AHEAD = 3;
const CLOCK_WATCH_MS = 10_000;
const LINE_LIMIT_MS = 10_000;

/** Where every connection is taken, as when many processes start at once, a start waits for one so long (B106). */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 1_000;
/** Too many connections; starting up; shutting down. */
const PASSING = new Set(["53300", "57P03"]);

/** Opens the world of a process; it refuses to start on a wrong clock, a missing key or a database that was not migrated. */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const env = options.env ?? readEnv();
  const log = options.log ?? openLog(options.name, env);
  const untilMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await openOnce(options, env, log);
    } catch (error) {
      if (!PASSING.has(sqlState(error)) || performance.now() > untilMs) throw error;
      log.warn({ why: rootMessage(error) }, "the database has no connection to give; it is asked again");
      // At another moment than the others that start now.
      await new Promise((resolve) => setTimeout(resolve, LONGEST_PAUSE_MS * (0.2 + 0.8 * Math.random())));
    }
  }
}

async function openOnce(options: RuntimeOptions, env: Env, log: Log): Promise<Runtime> {
  const databaseUrl = databaseOf(env);
  const clock = options.clock ?? { now: () => new Date(), monotonicMs: () => performance.now() };
  const ids: Ids = {
    uuid: (at) => (at ? v7({ msecs: at.getTime() }) : v7()),
    randomHex,
  };
  const pool = renewableLine(() => connect({ url: databaseUrl, ...POOLS[options.name], applicationName: `apollo-${options.name}` }));
  const lanes: Client[] = [];
  const { lineLimitMs = LINE_LIMIT_MS } = options;
  try {
    await requireClock(pool.current, clock);
    await ensurePartitions(pool.current);
    const { ports, close: closePorts } = await openPorts({ env, databaseUrl, pool, log, listeners: options.listeners ?? 0, lineLimitMs });
    const isBusy = () => isPoolBusy(databaseUrl, `apollo-${options.name}`, lineLimitMs);
    // Workers and schedulers act on a clock that drifts; a web process has nothing to stop, and says so.
    const watching = [
      ...(options.name === "web" ? [watchClock(log, () => measureOffset(pool.current, clock), options.clockWatchMs)] : []),
      ...(options.name === "web" ? [watchLine({ log, clock, pool, limitMs: lineLimitMs, isBusy })] : []),
    ];
    const ctx = (principal: Principal, source: RequestSource): Ctx => ({
      get db() {
        return pool.current.db;
      },
      clock,
      ids,
      random: Math.random,
      log,
      ports,
      principal,
      source,
    });
    return {
      name: options.name,
      env,
      get client() {
        return pool.current;
      },
      ports,
      log,
      clock,
      ids,
      ctx,
      systemCtx: () =>
        ctx({ kind: "system", id: options.name, label: options.name }, { id: ids.uuid(), via: "system", ip: null, userAgent: null }),
      lane: (purpose, settings = {}) => {
        const lane = connect({ url: databaseUrl, max: 1, kept: true, applicationName: `apollo-${options.name}-${purpose}`, settings });
        lanes.push(lane);
        return lane;
      },
      renewPool: pool.renew,
      clockOffsetMs: () => measureOffset(pool.current, clock),
      close: async () => {
        for (const timer of watching) clearInterval(timer);
        await closePorts();
        await Promise.all([...lanes, pool].map((each) => each.close()));
      },
    };
  } catch (error) {
    await pool.close().catch(() => undefined);
    throw error;
  }
}

function openLog(name: ProcessName, env: Env): Log {
  return pino({ level: env.logLevel, base: { process: name, pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime });
}

function watchClock(log: Log, measure: () => Promise<number>, everyMs = CLOCK_WATCH_MS): NodeJS.Timeout {
  const watch = new ClockWatch({
    measure,
    onChange: (offsetMs) => {
      if (offsetMs === null) log.info({}, "this machine's clock agrees with the database's again");
      else log.warn({ offsetMs }, "this machine's clock is off the database's; set it (NTP)");
    },
  });
  return setInterval(() => void watch.look(), everyMs).unref();
}

interface WatchLineOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly pool: RenewableLine<Client>;
  readonly limitMs: number;
  isBusy(): Promise<boolean>;
}

/**
 * Whether the database sees as many connections of this name at work as a pool has, asked over one of its own. A connection
 * that is dead without a word is idle there, or waits to be read.
 */
async function isPoolBusy(databaseUrl: string, applicationName: string, limitMs: number): Promise<boolean> {
  const { sql: line, close } = connect({ url: databaseUrl, max: 1, applicationName: `${applicationName}-watch` });
  try {
    const asked = line<{ busy: boolean }[]>`
      select count(*) >= ${POOL_CONNECTIONS} as busy from pg_stat_activity
      where datname = current_database() and application_name = ${applicationName} and state <> 'idle' and wait_event is distinct from 'ClientWrite'`;
    const answer = await inTime(asked, limitMs);
    return answer !== LATE && answer[0]?.busy === true;
  } finally {
    void close().catch(() => undefined);
  }
}

/** A pool whose connections are dead without a word is opened anew, so that no page waits for a quarter of an hour. */
function watchLine({ log, clock, pool, limitMs, isBusy }: WatchLineOptions): NodeJS.Timeout {
  const watch = new LineWatch({
    current: () => pool.current.db,
    ping: (line) => line.execute(sql`select 1`),
    monotonicMs: clock.monotonicMs,
    limitMs,
    isBusy,
    onDead: (line) => {
      log.warn({ limitMs }, "the database did not answer; its connections are opened anew");
      pool.renew(line);
    },
  });
  return setInterval(() => watch.look(), limitMs / 4).unref();
}

/** The sign-in of the web process. Loaded only there: workers and tools need none of it. */
export async function openWebSignIn(runtime: Runtime): Promise<SignIn> {
  const { openSignIn } = await import("@/server/adapters/auth");
  const ctx = runtime.systemCtx();
  const { baseUrl, signInsPerMinute } = runtime.env;
  return openSignIn({ baseUrl, signInsPerMinute, ctx, cookieSecret: await loadCookieSecret(ctx) });
}

/** Whoever announces a change learns first that the pool is dead without a word, where nothing else is asked over it. */
const notifyOver = (pool: RenewableLine<Client>, log: Log, limitMs: number) => async (channel: string, payload: string) => {
  const { sql: line, db } = pool.current;
  if ((await inTime(line`select pg_notify(${channel}, ${payload})`, limitMs)) !== LATE) return;
  log.warn({ limitMs }, "the database did not answer; its connections are opened anew");
  pool.renew(db);
};

interface PortsOptions {
  readonly env: Env;
  readonly databaseUrl: string;
  readonly pool: RenewableLine<Client>;
  readonly log: Log;
  readonly listeners: number;
  readonly lineLimitMs: number;
}

async function openPorts({ env, databaseUrl, pool, log, listeners, lineLimitMs }: PortsOptions) {
  const vault = await openVault({ keyFile: env.secretKeyFile, sealedKeyIds: await sealedKeyIds(pool.current.db) });
  const http = guardedHttp({
    isOpened: (projectId, target) => isHostOpened(pool.current.db, projectId, target),
    own: ownServices(env, databaseUrl),
  });
  const live = openLiveFeed({ databaseUrl, notify: notifyOver(pool, log, lineLimitMs), log });
  const doorbell = await openBullDoorbell({ redisUrl: env.redisUrl, databaseUrl, listeners, log });
  const mail = openMail({ smtpUrl: env.smtpUrl, from: env.mailFrom });
  const ports: Ports = { doorbell, http, vault, live, mail, baseUrl: env.baseUrl };
  return {
    ports,
    close: async () => {
      mail.close();
      await Promise.all([doorbell.close(), live.close(), http.close()]);
    },
  };
}

function databaseOf(env: Env): string {
  if (env.databaseUrl) return env.databaseUrl;
  throw new DomainError(
    "unavailable",
    "DATABASE_URL is not set for this process. Start everything with `npm start`, which brings its own PostgreSQL, or set DATABASE_URL.",
  );
}

/** What no node may call, whatever an administrator opens: our database, our queue, our own console. */
function ownServices(env: Env, databaseUrl: string) {
  const place = (text: string, port: number) => {
    const url = new URL(text);
    return { host: url.hostname, port: url.port === "" ? port : Number(url.port) };
  };
  const web = { host: env.host === "0.0.0.0" || env.host === "::" ? "127.0.0.1" : env.host, port: env.port };
  return [place(databaseUrl, 5_432), ...(env.redisUrl ? [place(env.redisUrl, 6_379)] : []), web];
}

async function requireClock(client: Client, clock: Clock): Promise<void> {
  const offsetMs = await measureOffset(client, clock);
  if (Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS) return;
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1);
  throw new DomainError(
    "unavailable",
    `This machine's clock is ${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"} the database's; at most ${MAX_CLOCK_OFFSET_MS / 1_000} s are allowed. ` +
      "Set the clock (NTP) and start again.",
    { details: { offsetMs } },
  );
}

/** Half of the way there and back is taken off, and may be wrong by as much; of three tries the quickest tells most. */
async function measureOffset(client: Client, clock: Clock): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  for (let tries = 0; tries < 3; tries++) {
    const sentMs = clock.now().getTime();
    const started = clock.monotonicMs();
    const [row] = await client.sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
    const tookMs = clock.monotonicMs() - started;
    if (row && tookMs < best.tookMs) best = { tookMs, offsetMs: sentMs + tookMs / 2 - row.ms };
  }
  return Math.sign(best.offsetMs) * Math.max(0, Math.abs(best.offsetMs) - best.tookMs / 2);
}

async function ensurePartitions(client: Client): Promise<void> {
  try {
    await client.db.execute(sql`select ensure_partitions(clock_timestamp(), ${PARTITION_MONTHS_AHEAD})`);
  } catch (cause) {
    const code = cause instanceof Error && cause.cause instanceof Error && "code" in cause.cause ? cause.cause.code : undefined;
    if (code !== "42883") throw cause;
    throw new DomainError("unavailable", "The database has not been migrated yet. `npm start` does it; then start this process again.", {
      cause,
    });
  }
}
