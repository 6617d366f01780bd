const TELL_EVERY_MS = 1_000;

/** Tells how far a task is once a second at most, whatever it says and however often; the last word is told at its end. */
export class Progress {
  #tell: (text: string) => void;
  #monotonicMs: () => number;
  #toldMs = Number.NEGATIVE_INFINITY;
  #untold: string | null = null;

  constructor(tell: (text: string) => void, monotonicMs: () => number) {
    this.#tell = tell;
    this.#monotonicMs = monotonicMs;
  }

  report(done: unknown, note: string | null): void {
    this.#untold = textOf(done, note);
    if (this.#monotonicMs() - this.#toldMs >= TELL_EVERY_MS) this.end();
  }

  end(): void {
    if (this.#untold === null) return;
    this.#toldMs = this.#monotonicMs();
    this.#tell(this.#untold);
    this.#untold = null;
  }
}

/** A task is not ours, and may say anything: what is no share of one is told without a number. */
function textOf(done: unknown, note: string | null): string {
  const share = typeof done === "number" && Number.isFinite(done) ? ` ${Math.round(Math.min(1, Math.max(0, done)) * 100)} %` : "";
  return `progress${share}${note === null || note === "" ? "" : ` ${note}`}`;
}
