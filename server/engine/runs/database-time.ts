/** What a clock of this machine may gain on the database's meanwhile stays below the millisecond in which both are read. */
const TRUST_MS = 2_000;

/**
 * The database's time without asking for it: what it last told, and what has gone by since on a clock that cannot step. It is
 * never ahead of the database, since it counts from when the answer came, and goes back only where the database's clock is set back.
 */
export class DatabaseTime {
  #monotonicMs: () => number;
  #toldMs = 0;
  #heardMs = Number.NEGATIVE_INFINITY;
  #lastMs = 0;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** An instant that the database's clock has shown, as soon as it is here. */
  hear(told: Date): void {
    this.#toldMs = told.getTime();
    this.#heardMs = this.#monotonicMs();
    // Far behind is no slow answer: the database's clock was set back, and all others go by it from now on.
    this.#lastMs = this.#toldMs < this.#lastMs - TRUST_MS ? this.#toldMs : Math.max(this.#lastMs, this.#toldMs);
  }

  /** Null where the database has not been heard for too long. */
  now(): Date | null {
    const sinceMs = this.#monotonicMs() - this.#heardMs;
    if (sinceMs > TRUST_MS) return null;
    this.#lastMs = Math.max(this.#lastMs, this.#toldMs + Math.floor(sinceMs));
    return new Date(this.#lastMs);
  }
}
