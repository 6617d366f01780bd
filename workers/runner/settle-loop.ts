import type { AttemptReport, ClaimedNode } from "@/server/domain/run/work";
import type { Log } from "@/server/engine/context";
import type { SettleResult } from "@/server/engine/runs/settle";
import { minimalReport } from "./minimal-report";

export interface SettleLoopOptions {
  /** Settles a batch; `slots` is how many nodes may be handed on. */
  settle(reports: readonly AttemptReport[], slots: number): Promise<SettleResult>;
  /** Takes the free slots for the time of a settle, those of its reports included. */
  reserve(): { readonly slots: number; release(): void };
  onSettled(reports: readonly AttemptReport[]): void;
  onHandedOn(nodes: readonly ClaimedNode[]): void;
  /** A settle whose answer was lost may have handed on all the same. */
  onUncertain(): void;
  readonly log: Log;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
const MAX_REFUSALS = 3;
/** SQLSTATE classes and codes that say nothing about the report: connection, resources, shutdown, a lost race. */
const PASSING = /^(08|53|57|58|40|55|25)|^CONN|^ECONN|^ETIMEDOUT|^EPIPE|^ENOTFOUND|^CONNECT_TIMEOUT/;

/** Folds finished attempts into commits: one in flight, and whatever piled up meanwhile goes into the next. */
export class SettleLoop {
  #options: SettleLoopOptions;
  #queue: AttemptReport[] = [];
  /** How often a report was refused by itself, for a reason of its own. */
  #refusals = new Map<AttemptReport, number>();
  #inFlight: readonly AttemptReport[] = [];
  #running: Promise<void> | null = null;
  #oneByOne = false;

  constructor(options: SettleLoopOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether a report of this attempt is on its way. */
  knows(attempt: { readonly runId: string; readonly key: string; readonly token: number }): boolean {
    const isOf = (report: AttemptReport) => report.runId === attempt.runId && report.key === attempt.key && report.token === attempt.token;
    return this.#queue.some(isOf) || this.#inFlight.some(isOf);
  }

  push(report: AttemptReport): void {
    this.#queue.push(report);
    this.#running ??= this.#run();
  }

  /** Until nothing waits; with a limit, since a database that is down must not hold a shutdown. */
  async idle(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([this.#running ?? Promise.resolve(), late]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    // Attempts that end in the same turn go together.
    await Promise.resolve();
    let pauseMs = FIRST_RETRY_MS;
    while (this.#queue.length > 0) {
      const batch = this.#oneByOne ? this.#queue.splice(0, 1) : this.#queue.splice(0);
      this.#inFlight = batch;
      const reserved = this.#options.reserve();
      let handedOn: readonly ClaimedNode[] = [];
      try {
        ({ handedOn } = await this.#options.settle(batch, reserved.slots));
        pauseMs = FIRST_RETRY_MS;
        if (this.#queue.length === 0) this.#oneByOne = false;
        for (const report of batch) this.#refusals.delete(report);
        this.#options.onSettled(batch);
      } catch (error) {
        this.#queue.unshift(...this.#retried(batch, error));
        this.#options.onUncertain();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS);
      } finally {
        this.#inFlight = [];
        reserved.release();
      }
      this.#options.onHandedOn(handedOn);
    }
    this.#running = null;
  }

  /** What to try again. One report that the database refuses must not hold up the others, nor itself for ever. */
  #retried(batch: readonly AttemptReport[], error: unknown): AttemptReport[] {
    const { log } = this.#options;
    const code = sqlState(error);
    log.warn({ error: String(error), code, reports: batch.length }, "reports could not be settled; they are tried again");
    const [only] = batch;
    if (PASSING.test(code) || !only) return [...batch];
    this.#oneByOne = true;
    if (batch.length > 1) return [...batch];
    const refusals = (this.#refusals.get(only) ?? 0) + 1;
    this.#refusals.delete(only);
    if (refusals < MAX_REFUSALS) {
      this.#refusals.set(only, refusals);
      return [only];
    }
    const minimal = minimalReport(only, error);
    log.error(
      { err: error, runId: only.runId, key: only.key },
      minimal ? "a report is refused; only its failure is told" : "a report is given up",
    );
    return minimal ? [minimal] : [];
  }
}

function sqlState(error: unknown): string {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if ("code" in each && typeof each.code === "string") return each.code;
  }
  return "";
}
