import type { Ctx } from "./context";

export interface LineWatchOptions {
  /** The line as it is now. */
  current(): Ctx["db"];
  ping(line: Ctx["db"]): Promise<unknown>;
  readonly monotonicMs: () => number;
  /** A line that has not answered for so long never will. */
  readonly limitMs: number;
  /** Whether the database knows its connections to be at work, all of them: then the question only waits for its turn. */
  isBusy(): Promise<boolean>;
  onDead(line: Ctx["db"]): void;
}

/** Looks whether the database still answers over a line: one that a firewall forgot is silent for a quarter of an hour (B106). */
export class LineWatch {
  #options: LineWatchOptions;
  #asked: { readonly line: Ctx["db"]; atMs: number } | null = null;
  #isJudging = false;

  constructor(options: LineWatchOptions) {
    this.#options = options;
  }

  /** Asks, where nothing is asked already, and gives up a line that owes its answer for too long. */
  look(): void {
    const { current, ping, monotonicMs, limitMs } = this.#options;
    const line = current();
    if (this.#asked && this.#asked.line !== line) this.#asked = null;
    if (this.#asked) {
      if (monotonicMs() - this.#asked.atMs >= limitMs) void this.#judge(this.#asked);
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

  async #judge(asked: { readonly line: Ctx["db"]; atMs: number }): Promise<void> {
    if (this.#isJudging) return;
    this.#isJudging = true;
    // A database that says nothing of it either is given up like a line.
    const isBusy = await this.#options.isBusy().catch(() => false);
    this.#isJudging = false;
    if (this.#asked !== asked) return;
    if (isBusy) asked.atMs = this.#options.monotonicMs();
    else {
      this.#asked = null;
      this.#options.onDead(asked.line);
    }
  }
}
