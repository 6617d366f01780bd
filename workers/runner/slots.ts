/** How many nodes a worker may still take (WRK-2). What a question under way may bring is counted as taken. */
export class Slots {
  #total: number;
  #used: () => number;
  #questions = new Map<symbol, { readonly slots: number; readonly askedMs: number }>();
  #monotonicMs: () => number;

  constructor(total: number, used: () => number, monotonicMs: () => number) {
    this.#total = total;
    this.#used = used;
    this.#monotonicMs = monotonicMs;
  }

  get total(): number {
    return this.#total;
  }

  get free(): number {
    const asked = [...this.#questions.values()].reduce((sum, question) => sum + question.slots, 0);
    return Math.max(0, this.#total - this.#used() - asked);
  }

  /** Takes slots for a claim or a settle until its answer is here. */
  reserve(slots: number): { readonly slots: number; release(): void } {
    const question = Symbol("question");
    this.#questions.set(question, { slots, askedMs: this.#monotonicMs() });
    return { slots, release: () => void this.#questions.delete(question) };
  }

  /** Whether an answer is still awaited that may tell of what happened before this moment. */
  isAskedBefore(momentMs: number): boolean {
    return [...this.#questions.values()].some((question) => question.askedMs <= momentMs);
  }
}
