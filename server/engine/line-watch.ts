import type { Ctx } from "./context";

export interface LineWatchOptions {
  /** The line as it is now. */
  current(): Ctx["db"];
  ping(line: Ctx["db"]): Promise<unknown>;
  readonly monotonicMs: () => number;
  /** A line that has not answered for so long never will. */
  readonly limitMs: number;
  onDead(line: Ctx["db"]): void;
}

/** Looks whether the database still answers over a line: one that a firewall forgot is silent for a quarter of an hour (B106). */
export class LineWatch {
  #options: LineWatchOptions;
  #asked: { readonly line: Ctx["db"]; readonly atMs: number } | null = null;

  constructor(options: LineWatchOptions) {
    this.#options = options;
  }

  /** Asks, where nothing is asked already, and gives up a line that owes its answer for too long. */
  look(): void {
    const { current, ping, monotonicMs, limitMs, onDead } = this.#options;
    const line = current();
    if (this.#asked && this.#asked.line !== line) this.#asked = null;
    if (this.#asked) {
      if (monotonicMs() - this.#asked.atMs < limitMs) return;
      this.#asked = null;
      onDead(line);
      return;
    }
    const asked = { line, atMs: monotonicMs() };
    this.#asked = asked;
    const answered = () => {
      if (this.#asked === asked) this.#asked = null;
    };
    // An error is an answer too: the line will dial anew by itself.
    ping(line).then(answered, answered);
  }
}
