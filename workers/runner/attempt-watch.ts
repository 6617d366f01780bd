import type { AttemptReport, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { keepRefused } from "@/server/engine/dead-letters/keep-refused";
import { type HeldAttempt, revokedAttempts } from "@/server/engine/runs/lost-attempts";
import { attemptsOf, type OwnAttempt } from "@/server/engine/workers/own-attempts";
import type { Ask } from "./ask";
import type { GivenUp } from "./settle-loop";

export interface AttemptWatchOptions {
  readonly ctx: Ctx;
  readonly ask: Ask;
  lease(): WorkerLease | null;
  /** What runs here. */
  held(): readonly HeldAttempt[];
  /** Whether it runs here or its report is on the way; or what is left of its report, where that was given up. */
  knownOf(attempt: HeldAttempt): boolean | GivenUp;
  /** Whether an answer is awaited that was asked for before this moment, and may still bring the attempt here. */
  isAwaited(momentMs: number): boolean;
  onRevoked(attempt: HeldAttempt): void;
  /** Sends what it makes of an attempt, or what was given up, to the store. */
  handBack(report: AttemptReport): void;
}

/** A look for strays costs a query of its own, so that only every so many are taken. */
const STRAY_EVERY = 5;
const SOON_MS = 100;
/** So often a report that was given up is sent once more: what refuses it may have been put right. */
const ONCE_MORE_MS = 10_000;

/** Compares what runs here with what the database says runs here, both ways. */
export class AttemptWatch {
  #options: AttemptWatchOptions;
  #looks = 0;
  #soon: NodeJS.Timeout | undefined;
  /** When a stray was seen first. */
  #seenMs = new Map<string, number>();
  /** When a report that was given up was told of and sent once more. */
  #toldMs = new Map<string, number>();

  constructor(options: AttemptWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { ctx, ask, onRevoked } = this.#options;
    const worker = this.#options.lease();
    if (!worker) return;
    try {
      const held = this.#options.held();
      for (const revoked of await ask("cancelled attempts", (asking) => revokedAttempts(asking, worker, held))) onRevoked(revoked);
      this.#looks++;
      if (this.#looks % STRAY_EVERY === 0 || this.#seenMs.size > 0) await this.#lookForStrays(worker);
    } catch (error) {
      ctx.log.debug({ error: String(error) }, "running attempts could not be checked; it is tried again");
    }
  }

  /** Something may have changed: look before the second is over. */
  lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      void this.look();
    }, SOON_MS);
  }

  /** An answer was lost: the next look is for strays too. */
  expectStrays(): void {
    this.#looks = STRAY_EVERY - 1;
  }

  stop(): void {
    clearTimeout(this.#soon);
  }

  async #lookForStrays(worker: WorkerLease): Promise<void> {
    const { ask, knownOf } = this.#options;
    const own = (await ask("own attempts", (asking) => attemptsOf(asking, worker))).map((attempt) => ({
      attempt,
      known: knownOf(attempt),
    }));
    this.#handBack(own.flatMap(({ attempt, known }) => (known === false ? [attempt] : [])));
    const givenUp = own.flatMap(({ attempt, known }) => (typeof known === "object" ? [{ attempt, ...known }] : []));
    const ids = new Set(own.map(({ attempt }) => idOf(attempt)));
    this.#toldMs = new Map([...this.#toldMs].filter(([id]) => ids.has(id)));
    for (const each of givenUp) await this.#tell(worker, each);
  }

  /** It is not repeated, since its effect is done: a person learns of it, and it is sent again and again. */
  async #tell(worker: WorkerLease, { attempt, report, error }: GivenUp & { readonly attempt: OwnAttempt }): Promise<void> {
    const { ctx, ask, handBack } = this.#options;
    const nowMs = ctx.clock.monotonicMs();
    if (nowMs - (this.#toldMs.get(idOf(attempt)) ?? -ONCE_MORE_MS) < ONCE_MORE_MS) return;
    await ask("a dead letter", (asking) => keepRefused(asking, worker, attempt, error));
    this.#toldMs.set(idOf(attempt), nowMs);
    handBack(report);
  }

  #handBack(strays: readonly OwnAttempt[]): void {
    const { ctx, isAwaited, handBack } = this.#options;
    const nowMs = ctx.clock.monotonicMs();
    const seenMs = new Map(strays.map((stray) => [idOf(stray), this.#seenMs.get(idOf(stray)) ?? nowMs]));
    this.#seenMs = seenMs;
    for (const stray of strays) {
      const firstMs = seenMs.get(idOf(stray)) ?? nowMs;
      if (firstMs === nowMs || isAwaited(firstMs)) continue;
      ctx.log.warn({ runId: stray.runId, key: stray.key }, "a node that was taken by an answer that never came is handed back");
      handBack(handBackOf(stray));
    }
  }
}

const idOf = (attempt: HeldAttempt) => `${attempt.runId}/${attempt.key}/${attempt.token}`;

function handBackOf({ startedAt, ...attempt }: OwnAttempt): AttemptReport {
  const times = { pickedUpAt: startedAt, executingAt: null };
  return { ...attempt, kind: "handedBack", times, inputs: null, response: null, logBytes: 0, logTruncated: false, hops: 0 };
}
