import type { Db } from "@/db/client";
import { inTransaction } from "@/server/engine/context";
import { isOutage } from "@/server/engine/transient";
import { announce } from "./commit-runs";
import { type Started, startRequested, type TriggeredRun, type TriggerRequest } from "./trigger-requests";

interface Waiting {
  readonly request: TriggerRequest;
  resolve(run: TriggeredRun): void;
  reject(error: unknown): void;
}

/** Few enough that a commit stays short. */
const MAX_TOGETHER = 100;

/**
 * The wishes of one project that come while a transaction is under way go together into the next: one commit for all of
 * them, where each by itself would wait for the others at the head of the project's audit chain.
 */
class TriggerLane {
  #waiting: Waiting[] = [];
  #isRunning = false;
  readonly #onIdle: () => void;

  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  start(request: TriggerRequest): Promise<TriggeredRun> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Whoever asks in the same breath goes along: those whom one commit has answered ask again all at once.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await settleAll(this.#next());
      await Promise.resolve();
    }
    this.#isRunning = false;
    this.#onIdle();
  }

  /** The oldest, without a second one of the same key: that one is answered by what the first has made. */
  #next(): Waiting[] {
    const keys = new Set<string>();
    const together: Waiting[] = [];
    const left: Waiting[] = [];
    for (const each of this.#waiting) {
      const { idempotencyKey: key } = each.request.input;
      const fits = together.length < MAX_TOGETHER && (key === undefined || !keys.has(key));
      if (fits && key !== undefined) keys.add(key);
      (fits ? together : left).push(each);
    }
    this.#waiting = left;
    return together;
  }
}

async function settleAll(together: readonly Waiting[]): Promise<void> {
  try {
    const { outcomes } = await startTogether(together.map(({ request }) => request));
    for (const [index, waiting] of together.entries()) {
      const outcome = outcomes[index];
      if (outcome?.kind === "triggered") waiting.resolve(outcome.run);
      else waiting.reject(outcome?.error ?? new Error("a wish without an outcome"));
    }
  } catch (error) {
    // One of them breaks the transaction for all: alone, it breaks its own. Where the line was lost it may be committed, and a
    // second try would start all of them twice.
    if (together.length > 1 && !isOutage(error)) for (const waiting of together) await settleAll([waiting]);
    else for (const waiting of together) waiting.reject(error);
  }
}

/** One transaction, and what has to be told after it; a lost ring costs latency alone, so nobody waits for it. */
export async function startTogether(requests: readonly TriggerRequest[]): Promise<Started> {
  const [first] = requests;
  if (!first) return { outcomes: [], committed: { groups: [], projectIds: [] } };
  const { ctx } = first;
  const started = await inTransaction(ctx, (tx) => startRequested(tx, requests));
  void announce(ctx, started.committed).catch((error: unknown) => ctx.log.warn({ error: String(error) }, "new runs were not announced"));
  return started;
}

const lanes = new WeakMap<Db, Map<string, TriggerLane>>();

/** One lane for each project of a pool, for as long as it has something to do. */
export function startInLane(request: TriggerRequest): Promise<TriggeredRun> {
  const { db } = request.ctx;
  const { projectId } = request.input;
  const own = lanes.get(db) ?? new Map<string, TriggerLane>();
  lanes.set(db, own);
  const lane = own.get(projectId) ?? new TriggerLane(() => own.delete(projectId));
  own.set(projectId, lane);
  return lane.start(request);
}
