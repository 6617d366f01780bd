import { createPostgresBackend, createRedisBackend, type Queue, runMigrations, type Worker, withBackend } from "bullmq";
import { Pool } from "pg";
import type { Log } from "@/server/engine/context";
import type { Doorbell, Listening } from "@/server/engine/ports";
import { openEar } from "./doorbell-ear";

export interface BullDoorbellOptions {
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  /** How many groups this process will listen to: each takes one connection of the PostgreSQL backend's pool. */
  readonly listeners: number;
  readonly log: Log;
}

/** What both backends offer, so that nothing beyond this file knows which one rings. */
interface Bells {
  queue(group: string): Queue;
  worker(group: string, answer: () => Promise<number>): Worker;
  close(): Promise<void>;
}

const SCHEMA = "bullmq";
const RING_LIMIT_MS = 2_000;

const QUEUE = {
  prefix: "apollo11",
  defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  streams: { events: { maxLen: 100 } },
};
/** The lock times only bound how long a ring that a killed process was answering is out of play. */
const WORKER = {
  prefix: QUEUE.prefix,
  concurrency: 1,
  autorun: false,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 1_000_000,
  runRetryDelay: 500,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

/** A job id must not hold `:`; neither does a group's name. */
const queueName = (group: string) => `ring-${group}`;

/** Doorbells over BullMQ, on Redis when a URL is given and else on PostgreSQL. The payload is the group and nothing more. */
export async function openBullDoorbell(options: BullDoorbellOptions): Promise<Doorbell> {
  const bells = options.redisUrl === undefined ? await postgresBells(options) : redisBells(options.redisUrl);
  const queues = new Map<string, Queue>();
  const open = new Set<Listening>();
  const queueOf = (group: string) => {
    const known = queues.get(group);
    if (known) return known;
    const queue = bells.queue(group);
    queue.on("error", noticer(options.log, group));
    queues.set(group, queue);
    return queue;
  };
  const ringOnce = collapsing(async (group) => {
    const queue = queueOf(group);
    try {
      // A queue keeps a failure of its first connection for good.
      await within(RING_LIMIT_MS, queue.waitUntilReady());
    } catch (error) {
      options.log.warn({ group, error: textOf(error) }, "a doorbell could not be rung; the poll will find the work");
      if (queues.get(group) === queue) queues.delete(group);
      void queue.close().catch(() => undefined);
      return;
    }
    await ringQueue(queue, group, options.log);
  });
  return {
    ring: async (groups) => {
      await Promise.all([...new Set(groups)].map(ringOnce));
    },
    listen: async (groups, onRing) => {
      const ears = groups.map((group) =>
        openEar({
          group,
          log: options.log,
          worker: (answer) => bells.worker(group, answer),
          queue: () => queueOf(group),
          onRing: () => onRing(group),
        }),
      );
      await Promise.all(ears.map((ear) => ear.ready));
      const listening: Listening = {
        pause: () => {
          for (const ear of ears) ear.pause();
        },
        resume: () => {
          for (const ear of ears) ear.resume();
        },
        close: async () => {
          open.delete(listening);
          await Promise.all(ears.map((ear) => ear.close()));
        },
      };
      open.add(listening);
      return listening;
    },
    depth: async (group) => {
      const counts = await queueOf(group).getJobCounts("waiting", "active");
      return (counts.waiting ?? 0) + (counts.active ?? 0);
    },
    purge: (group) => purgeQueue(queueOf(group), group, options.log),
    close: async () => {
      await Promise.all([...open].map((listening) => listening.close()));
      await Promise.all([...queues.values()].map((queue) => queue.close().catch(() => undefined)));
      await bells.close();
    },
  };
}

function redisBells(url: string): Bells {
  const { Queue, Worker } = withBackend(createRedisBackend);
  const connection = { url, maxRetriesPerRequest: null };
  return {
    queue: (group) => new Queue(queueName(group), { ...QUEUE, connection }) as Queue,
    worker: (group, answer) => new Worker(queueName(group), answer, { ...WORKER, connection }) as Worker,
    close: () => Promise.resolve(),
  };
}

/**
 * One pool for every queue and worker of the process; each worker keeps one of its connections for LISTEN. A ring that is
 * lost costs latency alone, and what it tells of is durable before it rings: so no ring waits for the disk.
 */
async function postgresBells(options: BullDoorbellOptions): Promise<Bells> {
  const pool = new Pool({
    connectionString: options.databaseUrl,
    max: 2 + options.listeners,
    keepAlive: true,
    application_name: "apollo-doorbell",
    options: `-c search_path=${SCHEMA} -c synchronous_commit=off`,
  });
  pool.setMaxListeners(0);
  pool.on("error", noticer(options.log, "pool"));
  // The pool hears the errors of idle clients alone; of one in use, a cut that nobody hears would end the process.
  pool.on("connect", (client) => client.on("error", noticer(options.log, "client")));
  const client = await pool.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    client.release();
  }
  const { Queue, Worker } = withBackend(createPostgresBackend);
  return {
    queue: (group) => new Queue(queueName(group), { ...QUEUE, connection: pool }) as unknown as Queue,
    worker: (group, answer) => new Worker(queueName(group), answer, { ...WORKER, connection: pool }) as unknown as Worker,
    close: () => pool.end(),
  };
}

/** `keepLastIfActive`: plain deduplication would drop a ring that comes while one is being answered. */
async function ringQueue(queue: Queue, group: string, log: Log): Promise<void> {
  const added = queue.add("ring", { group }, { deduplication: { id: group, keepLastIfActive: true } });
  try {
    await within(RING_LIMIT_MS, added);
  } catch (error) {
    log.warn({ group, error: textOf(error) }, "a doorbell could not be rung; the poll will find the work");
  }
}

/** Each by itself, which also forgets what it was deduplicated by; one that is heard meanwhile is not counted. */
async function purgeQueue(queue: Queue, group: string, log: Log): Promise<number> {
  try {
    const removed = await within(
      RING_LIMIT_MS,
      queue.getJobs(["waiting", "prioritized", "delayed"]).then((jobs) => Promise.allSettled(jobs.map((job) => job.remove()))),
    );
    return removed.filter(({ status }) => status === "fulfilled").length;
  } catch (error) {
    log.warn({ group, error: textOf(error) }, "the rings of a group could not be taken out; each of them finds nothing");
    return 0;
  }
}

/** Rings that come while one is under way become one more after it, however many they are. */
function collapsing(ring: (group: string) => Promise<void>): (group: string) => Promise<void> {
  const current = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const start = (group: string): Promise<void> => {
    const ringing = ring(group).finally(() => {
      if (current.get(group) === ringing) current.delete(group);
    });
    current.set(group, ringing);
    return ringing;
  };
  return (group) => {
    const underWay = current.get(group);
    if (!underWay) return start(group);
    const planned = next.get(group);
    if (planned) return planned;
    const following = underWay.then(() => {
      next.delete(group);
      return start(group);
    });
    next.set(group, following);
    return following;
  };
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer from the queue within ${limitMs} ms`)), limitMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** BullMQ repeats a connection's error many times a second; each is worth a line at debug alone. */
const noticer = (log: Log, group: string) => (error: Error) => {
  log.debug({ group, error: textOf(error) }, "the queue reported an error");
};

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
