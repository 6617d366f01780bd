import type { AttemptReport, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import { type HeldAttempt, revokedAttempts } from "@/server/engine/runs/lost-attempts";
import { attemptsOf, type OwnAttempt } from "@/server/engine/workers/own-attempts";
import type { Ask } from "./ask";

export interface AttemptWatchOptions {
  readonly ctx: Ctx;
  readonly ask: Ask;
  lease(): WorkerLease | null;
  /** What runs here. */
  held(): readonly HeldAttempt[];
  /** Whether it runs here or its report is on the way. */
  isKnown(attempt: HeldAttempt): boolean;
  /** Whether an answer is awaited that was asked for before this moment, and may still bring the attempt here. */
  isAwaited(momentMs: number): boolean;
  onRevoked(attempt: HeldAttempt): void;
  handBack(report: AttemptReport): void;
}

/** A look for strays costs a query of its own, so that only every so many are taken. */
const STRAY_EVERY = 5;
const SOON_MS = 100;

/** Compares what runs here with what the database says runs here, both ways. */
export class AttemptWatch {
  #options: AttemptWatchOptions;
  #looks = 0;
  #soon: NodeJS.Timeout | undefined;
  /** When a stray was seen first. */
  #seenMs = new Map<string, number>();

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
      if (this.#looks % STRAY_EVERY === 0 || this.#seenMs.size > 0) await this.#handBackStrays(worker);
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

  async #handBackStrays(worker: WorkerLease): Promise<void> {
    const { ctx, ask, isKnown, isAwaited, handBack } = this.#options;
    const nowMs = ctx.clock.monotonicMs();
    const strays = (await ask("own attempts", (asking) => attemptsOf(asking, worker))).filter((stray) => !isKnown(stray));
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
