import type { Log } from "@/server/engine/context";
import type { LeaseStore } from "@/server/engine/leadership/lease-store";
import type { LeaseTiming } from "@/server/engine/leadership/lease-timing";
import { rootMessage } from "@/server/engine/root-cause";
import { isTooSlow, isTransient } from "@/server/engine/transient";
import { createNap } from "./nap";
import { beginTerm, type OwnTerm, type Term } from "./term";
import { NotAnswered, within } from "./within";

/** What a test waits for instead of sleeping. */
export interface ElectorSignals {
  standby?(): void;
  gained?(epoch: number): void;
  lost?(epoch: number, why: string): void;
  resigned?(epoch: number): void;
}

export interface ElectorOptions {
  readonly store: LeaseStore;
  readonly timing: LeaseTiming;
  readonly log: Log;
  readonly monotonicMs: () => number;
  /** Leads until the term's signal is aborted, and starts from nothing each time. */
  readonly lead: (term: Term) => Promise<void>;
  /** What the lease row says of the leader. */
  readonly report: () => Readonly<Record<string, unknown>>;
  /** The database's clock, as each answer shows it. */
  readonly onDatabaseTime: (databaseMs: number) => void;
  /** This process cannot do the leader's work; it gives up the lease and should leave. */
  readonly onFailure: (error: unknown) => void;
  readonly signals?: ElectorSignals;
}

const LET_GO_WITHIN_MS = 1_000;
/** What only a person can put right is said again so often. */
const TELL_EVERY_MS = 60_000;

/** Takes part in the election until stopped, and leads while it holds the lease (SCH-7). */
export class Elector {
  private readonly nap = createNap();
  private term: OwnTerm | null = null;
  private stopping = false;
  private campaign: Promise<void> | null = null;
  private failing = false;
  private troubleNow: string | null = null;
  private toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ElectorOptions) {}

  start(): void {
    this.campaign ??= this.runCampaign();
  }

  /** Ends the term, resigns, and so tells the standbys. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.nap.wake();
    await this.campaign;
    await this.options.store.close();
  }

  leading(): Term | null {
    return this.term?.trusted() ? this.term : null;
  }

  /** What keeps it from the election and will not pass by itself, such as a missing permission or a lost table. */
  trouble(): string | null {
    return this.troubleNow;
  }

  private async runCampaign(): Promise<void> {
    const { store, timing, signals } = this.options;
    let listens = false;
    while (!this.stopping) {
      if (!listens)
        listens = await this.attempt("listening for a resignation", () => store.onResigned(this.nap.wake).then(() => true), false);
      const sentAtMs = this.options.monotonicMs();
      const grant = await this.attempt("taking the lease", () => store.acquire(), null);
      if (grant === null) {
        signals?.standby?.();
        await this.nap.sleep(timing.tryEveryMs);
        continue;
      }
      this.options.onDatabaseTime(grant.databaseMs);
      await this.reign(grant.epoch, sentAtMs);
    }
  }

  private async reign(epoch: number, sentAtMs: number): Promise<void> {
    const { timing, log, signals, monotonicMs } = this.options;
    const onEnd = (why: string) => {
      log.info({ epoch, why }, "term ended");
      signals?.lost?.(epoch, why);
      this.nap.wake();
    };
    const term = beginTerm({ epoch, sentAtMs, timing, monotonicMs, onEnd });
    this.term = term;
    log.info({ epoch }, "leading");
    signals?.gained?.(epoch);
    const work = this.work(term);
    await this.renewWhileTrusted(term);
    await within(work, LET_GO_WITHIN_MS, "letting go of the leader's work").catch((error: unknown) =>
      log.warn({ err: error, epoch }, "the leader's work ends late"),
    );
    this.term = null;
    if (await this.attempt("resigning", () => this.options.store.resign(epoch), false)) signals?.resigned?.(epoch);
  }

  private async work(term: OwnTerm): Promise<void> {
    try {
      await this.options.lead(term);
      term.end("the leader's work ended");
    } catch (error) {
      this.options.log.error({ err: error, epoch: term.epoch }, "the leader's work failed");
      term.end("the leader's work failed");
      this.options.onFailure(error);
    }
  }

  private async renewWhileTrusted(term: OwnTerm): Promise<void> {
    const { store, timing, monotonicMs } = this.options;
    let pauseMs = timing.renewEveryMs;
    for (;;) {
      await this.nap.sleep(pauseMs);
      if (this.stopping) term.end("asked to stop");
      if (!term.trusted()) term.end("renewals failed for too long");
      if (term.signal.aborted) return;
      const sentAtMs = monotonicMs();
      const answer = await this.attempt("renewing the lease", () => store.renew(term.epoch, this.options.report()), undefined);
      if (answer === null) term.end("the lease ran out, or another holds it");
      if (answer) {
        this.options.onDatabaseTime(answer.databaseMs);
        term.prolong(sentAtMs);
      }
      pauseMs = answer ? timing.renewEveryMs : timing.tryEveryMs;
    }
  }

  /** A failed call is an answer too: the loop goes on with what it knows. Only the first of a row is worth a warning. */
  private async attempt<T, F>(what: string, call: () => Promise<T>, fallback: F): Promise<T | F> {
    try {
      const answer = await call();
      this.failing = false;
      this.troubleNow = null;
      return answer;
    } catch (error) {
      this.tell(what, error);
      return fallback;
    }
  }

  private tell(what: string, error: unknown): void {
    const { log, monotonicMs } = this.options;
    const passes = isTransient(error) || isTooSlow(error) || error instanceof NotAnswered;
    if (passes) log[this.failing ? "debug" : "warn"]({ err: error }, `${what} failed`);
    else {
      this.troubleNow = `${what}: ${rootMessage(error)}`;
      if (monotonicMs() - this.toldAtMs >= TELL_EVERY_MS) {
        this.toldAtMs = monotonicMs();
        log.error(
          { err: error, why: rootMessage(error) },
          `${what} is refused by the database; put right what it names, it is tried again`,
        );
      }
    }
    this.failing = true;
  }
}
