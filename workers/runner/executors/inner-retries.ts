import type { Executed } from "./execution";

const MOST_NAMED = 10;

/** What a task retried inside, as its client declares it: retries belong to the node's policy, so that these are shown and count (RTY-3). */
export class InnerRetries {
  #count = 0;
  #of = new Set<string>();

  add(of: string): void {
    this.#count++;
    if (this.#of.size < MOST_NAMED) this.#of.add(of);
  }

  /** Beside what the attempt gave; a failure takes as many from the retries that are left. */
  tellIn(executed: Executed, tell: (text: string) => void): Executed {
    if (this.#count === 0) return executed;
    const of = [...this.#of];
    tell(`the task itself made failed calls again, ${this.#count} in all (${of.join(", ")}); leave retries to the node's policy`);
    const response = { ...executed.response, innerRetries: { count: this.#count, of } };
    if (executed.kind !== "failed") return { ...executed, response };
    return { ...executed, response, fault: { ...executed.fault, innerRetries: this.#count } };
  }
}
