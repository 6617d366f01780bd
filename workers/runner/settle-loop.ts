import type { AttemptReport, ClaimedNode } from "@/server/domain/run/work";
import type { Log } from "@/server/engine/context";
import { sqlState } from "@/server/engine/root-cause";
import type { HeldAttempt } from "@/server/engine/runs/lost-attempts";
import type { Settling } from "@/server/engine/runs/settle";
import { minimalReport } from "./minimal-report";

export interface SettleLoopOptions {
  /** Settles a batch; `slots` is how many nodes may be handed on. */
  settle(reports: readonly AttemptReport[], slots: number): Promise<Pick<Settling, "handedOn"> & Partial<Pick<Settling, "left" | "told">>>;
  /** Takes the free slots for the time of a settle, those of its reports included. */
  reserve(): { readonly slots: number; release(): void };
  onSettled(reports: readonly AttemptReport[]): void;
  onHandedOn(nodes: readonly ClaimedNode[]): void;
  /** A settle whose answer was lost may have handed on all the same. */
  onUncertain(): void;
  readonly log: Log;
}

/** What is left of a report that the store refused, even as the mere failure of its attempt. */
export interface GivenUp {
  readonly report: AttemptReport;
  readonly error: unknown;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;
const MAX_REFUSALS = 3;
/** Far more than a worker can run; attempts of which the engine has disposed meanwhile are never asked for again. */
const MAX_GIVEN_UP = 10_000;
/** SQLSTATE classes of a value or a change that the store will never take; all else says nothing about the report. */
const REFUSED = /^(22|23|54|AP)/;

/** Folds finished attempts into commits: one in flight, and whatever piled up meanwhile goes into the next. */
export class SettleLoop {
  #options: SettleLoopOptions;
  #queue: AttemptReport[] = [];
  /** How often a report was refused by itself, for a reason of its own. */
  #refusals = new Map<AttemptReport, number>();
  /** Kept until somebody sends them once more: their nodes still run as far as anybody else knows. */
  #givenUp = new Map<string, GivenUp>();
  #inFlight: readonly AttemptReport[] = [];
  #running: Promise<void> | null = null;
  #oneByOne = false;
  /** What commits have still to tell. */
  #telling = new Set<Promise<void>>();

  constructor(options: SettleLoopOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Nothing waits, and nothing was given up that is still to be told of. */
  get owesNothing(): boolean {
    return this.#queue.length === 0 && this.#givenUp.size === 0;
  }

  /** Whether a report of this attempt is on its way; or what is left of it, where it was given up. */
  knows(attempt: HeldAttempt): boolean | GivenUp {
    const isOf = (report: AttemptReport) => report.runId === attempt.runId && report.key === attempt.key && report.token === attempt.token;
    return this.#queue.some(isOf) || this.#inFlight.some(isOf) || (this.#givenUp.get(idOf(attempt)) ?? false);
  }

  push(report: AttemptReport): void {
    this.#givenUp.delete(idOf(report));
    this.#queue.push(report);
    this.#running ??= this.#run();
  }

  /** Until nothing waits; with a limit, since a database that is down must not hold a shutdown. */
  async idle(limitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([this.#allTold(), late]);
    clearTimeout(timer);
  }

  async #allTold(): Promise<void> {
    await this.#running;
    await Promise.all(this.#telling);
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
      let failed: Settling["left"] = null;
      try {
        const settling = await this.#options.settle(batch, reserved.slots);
        ({ handedOn } = settling);
        failed = settling.left ?? null;
        this.#keepTelling(settling.told);
      } catch (error) {
        failed = { reports: batch, error };
      }
      this.#inFlight = [];
      this.#onDone(batch, failed);
      // What was handed on beside the failure is not kept waiting for the next try.
      if (failed && handedOn.length > 0) this.#options.onHandedOn(handedOn);
      if (failed) pauseMs = await this.#pause(failed, pauseMs);
      else pauseMs = FIRST_RETRY_MS;
      reserved.release();
      this.#options.onHandedOn(failed ? [] : handedOn);
    }
    this.#running = null;
  }

  #keepTelling(told: Promise<void> | undefined): void {
    if (!told) return;
    this.#telling.add(told);
    void told.finally(() => this.#telling.delete(told));
  }

  #onDone(batch: readonly AttemptReport[], failed: Settling["left"]): void {
    const settled = failed ? batch.filter((report) => !failed.reports.includes(report)) : batch;
    for (const report of settled) this.#refusals.delete(report);
    if (failed) {
      if (isRefusal(failed.error)) this.#queue.push(...this.#onRefused(failed.reports, failed.error));
      else this.#queue.unshift(...failed.reports);
    } else if (this.#queue.length === 0) this.#oneByOne = false;
    if (settled.length > 0) this.#options.onSettled(settled);
  }

  async #pause({ reports, error }: NonNullable<Settling["left"]>, lastMs: number): Promise<number> {
    const pauseMs = isRefusal(error) ? FIRST_RETRY_MS : Math.min(lastMs * 2, LAST_RETRY_MS);
    this.#options.log.warn({ error: String(error), reports: reports.length }, "reports could not be settled; they are tried again");
    this.#options.onUncertain();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return pauseMs;
  }

  /** What to try again, after all others: one report that the store refuses must not hold them up, nor itself for ever. */
  #onRefused(batch: readonly AttemptReport[], error: unknown): AttemptReport[] {
    const [only] = batch;
    this.#oneByOne = true;
    if (batch.length > 1 || !only) return [...batch];
    const refusals = (this.#refusals.get(only) ?? 0) + 1;
    this.#refusals.delete(only);
    if (refusals < MAX_REFUSALS) {
      this.#refusals.set(only, refusals);
      return [only];
    }
    const minimal = minimalReport(only, error);
    const said = minimal ? "a report is refused; only its failure is told" : "a report is given up";
    this.#options.log.error({ err: error, runId: only.runId, key: only.key }, said);
    if (!minimal) this.#giveUp({ report: only, error });
    return minimal ? [minimal] : [];
  }

  #giveUp(left: GivenUp): void {
    this.#givenUp.set(idOf(left.report), left);
    const [oldest] = this.#givenUp.keys();
    if (this.#givenUp.size > MAX_GIVEN_UP && oldest !== undefined) this.#givenUp.delete(oldest);
  }
}

const idOf = ({ runId, key, token }: HeldAttempt) => `${runId}/${key}/${token}`;

const isRefusal = (error: unknown): boolean => REFUSED.test(sqlState(error)) || error instanceof TypeError || error instanceof RangeError;
