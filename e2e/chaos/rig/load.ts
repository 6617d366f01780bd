import { until } from "../../fixtures/until";
import type { Client } from "./client";
import { LOAD_WEIGHTS } from "./pipelines";
import type { Random } from "./random";

export interface Submission {
  readonly key: string;
  readonly pipeline: string;
  /** Null until it was answered. */
  runId: string | null;
  readonly atMs: number;
  tries: number;
}

/** Most submissions that wait for their answer at a time. */
const IN_FLIGHT = 12;
const AGAIN_MS = 250;

/**
 * Starts runs as callers do: each under a key of its own, and where no answer comes again with the same key until one does.
 * What was answered must never be lost, and what was asked twice must be one run.
 */
export class Load {
  readonly submissions: Submission[] = [];
  readonly #client: Client;
  readonly #random: Random;
  readonly #everyMs: number;
  readonly #open = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #made = 0;

  constructor(client: Client, random: Random, everyMs: number) {
    this.#client = client;
    this.#random = random;
    this.#everyMs = everyMs;
  }

  get waiting(): number {
    return this.#open.size;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      // One that is never answered stays without an id, which the checker finds.
      if (this.#open.size < IN_FLIGHT) this.submit(this.#pick()).catch(() => undefined);
    }, this.#everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Until each submission has been answered. */
  async answered(limitMs = 60_000): Promise<void> {
    await until("every submission is answered", () => this.#open.size === 0, limitMs, 20);
  }

  /** One run; resolves with its id when it is accepted. */
  async submit(pipeline: string): Promise<string> {
    this.#made += 1;
    const key = `${this.#random.seed}-${process.pid}-${this.#made}`;
    const submission: Submission = { key, pipeline, runId: null, atMs: performance.now(), tries: 0 };
    this.submissions.push(submission);
    const asking = this.#ask(submission);
    const done = asking.then(
      () => undefined,
      () => undefined,
    );
    this.#open.add(done);
    void done.then(() => this.#open.delete(done));
    return asking;
  }

  forget(): void {
    this.submissions.length = 0;
  }

  async #ask(submission: Submission): Promise<string> {
    for (;;) {
      submission.tries += 1;
      try {
        submission.runId = await this.#client.trigger(submission.pipeline, submission.key);
        return submission.runId;
      } catch (error) {
        if (submission.tries > 400) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #pick(): string {
    let at = this.#random.below(LOAD_WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0));
    for (const [name, weight] of LOAD_WEIGHTS) {
      if (at < weight) return name;
      at -= weight;
    }
    return "chain";
  }
}
