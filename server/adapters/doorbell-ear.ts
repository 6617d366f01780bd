import type { Queue, Worker } from "bullmq";
import type { Log } from "@/server/engine/context";

export interface EarOptions {
  readonly group: string;
  readonly log: Log;
  /** A worker of the library's that does not run yet. */
  worker(answer: () => Promise<number>): Worker;
  queue(): Queue;
  onRing(): Promise<void>;
}

const ANSWERED = 1;
const READY_LIMIT_MS = 2_000;
const HEAL_EVERY_MS = 5_000;
const RETRY_MS = 2_000;
/** After an error the library tries again at once, which against a database without a connection to give is a storm. */
const CALM_MS = 1_000;

/**
 * Hears the rings of one group. The library's worker keeps a failure of its first connection for good, and its loop then
 * turns without ever leaving the process a moment for anything else, the heartbeat included: so it does not run before it
 * is connected, and one that could not connect is replaced (B106).
 */
export function openEar(options: EarOptions) {
  const { group, log, onRing } = options;
  let worker: Worker | null = null;
  let isPaused = false;
  let isClosed = false;
  let isCalming = false;
  let timer: NodeJS.Timeout | undefined;

  const answer = async () => {
    // Whatever goes wrong is ours to tell: a text of a user's that reached the queue could break its job.
    await onRing().catch((error: unknown) => log.error({ group, error: textOf(error) }, "a ring was not answered"));
    return ANSWERED;
  };
  const begin = async (): Promise<void> => {
    const mine = options.worker(answer);
    mine.on("error", (error) => {
      log.debug({ group, error: textOf(error) }, "the queue reported an error");
      calm(mine);
    });
    try {
      await mine.waitUntilReady();
    } catch (error) {
      log.warn({ group, error: textOf(error) }, "the doorbell is not there yet; it is tried again");
      void mine.close(true).catch(() => undefined);
      if (!isClosed) timer = setTimeout(() => void begin(), RETRY_MS);
      return;
    }
    if (isClosed) return void mine.close(true).catch(() => undefined);
    worker = mine;
    if (!isPaused) start(mine);
  };
  const start = (mine: Worker) => void mine.resume().catch(() => undefined);
  const calm = (mine: Worker) => {
    if (isCalming || worker !== mine) return;
    isCalming = true;
    void mine.pause(true).catch(() => undefined);
    timer = setTimeout(() => {
      isCalming = false;
      if (!isPaused && !isClosed) start(mine);
    }, CALM_MS);
  };
  const healing = setInterval(() => void freeStaleKey(options.queue(), group).catch(() => undefined), HEAL_EVERY_MS);
  healing.unref();
  return {
    /** Settles when it hears, or will by itself. */
    ready: endsWithin(READY_LIMIT_MS, begin()),
    pause: () => {
      isPaused = true;
      void worker?.pause(true).catch(() => undefined);
    },
    resume: () => {
      isPaused = false;
      if (worker && !isCalming) start(worker);
    },
    close: async () => {
      isClosed = true;
      clearInterval(healing);
      clearTimeout(timer);
      await worker?.close();
    },
  };
}

async function endsWithin(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** A deduplication key whose job was lost with the queue would swallow every later ring. */
async function freeStaleKey(queue: Queue, group: string): Promise<void> {
  const winner = await queue.getDeduplicationJobId(group);
  if (!winner) return;
  if ((await queue.getJobState(winner)) === "unknown") await queue.removeDeduplicationKey(group);
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
