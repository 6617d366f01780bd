import type { Log } from "@/server/engine/context";
import {
  type CallOutcome,
  type ChildProgram,
  type ChildReady,
  type Death,
  describeDeath,
  type HandlerCall,
  HandlerChild,
} from "./handler-child";
import type { ChildFailure } from "./protocol";

export interface HandlerPoolOptions {
  readonly program: ChildProgram;
  /** Warm children, as many as cores. */
  readonly size: number;
  readonly log: Log;
}

export type HandlerResult =
  | { readonly kind: "succeeded"; readonly outputJson: string }
  | { readonly kind: "failed"; readonly failure: ChildFailure }
  /** The process died with this call alone in it. */
  | { readonly kind: "crashed"; readonly death: Death }
  /** The process died with others in it: nobody knows how far this one came, and it is not charged. */
  | { readonly kind: "interrupted"; readonly companions: number; readonly death: Death }
  | { readonly kind: "aborted" };

/** Why a call is ended from outside, and how long it may take to end by itself. */
export interface Abort {
  readonly reason: string;
  readonly graceMs: number;
}

const MAX_SUSPECTS = 1_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Warm children that run handlers. A child that dies with several calls charges none of them: each comes back, and its
 * execution's next call here runs alone, so that only a solitary death counts.
 */
export class HandlerPool {
  #options: HandlerPoolOptions;
  #children: HandlerChild[] = [];
  #solitary = new Set<HandlerChild>();
  /** Executions that a process died with, oldest first; one of them may be what kills it. */
  #suspects = new Set<string>();
  #waiting: (() => void)[] = [];
  #failures = 0;
  #isClosed = false;

  constructor(options: HandlerPoolOptions) {
    this.#options = options;
  }

  /** Starts the children; gives what the first of them found in the folders. */
  async start(): Promise<ChildReady> {
    for (let made = 0; made < this.#options.size; made++) this.#add();
    const [first] = this.#children;
    if (!first) return { tasks: [], problems: [] };
    return first.ready.catch((error: unknown) => ({ tasks: [], problems: [{ file: "", message: String(error) }] }));
  }

  async run(call: HandlerCall, signal: AbortSignal): Promise<HandlerResult> {
    if (this.#suspects.delete(call.executionId)) return this.#runAlone(call, signal);
    const child = await this.#pick(signal);
    if (!child) return { kind: "aborted" };
    const outcome = await this.#runIn(child, call, signal);
    if (outcome.kind !== "died") return outcome;
    const { companions, death } = outcome;
    if (companions === 0) return { kind: "crashed", death };
    this.#suspect(call.executionId);
    return { kind: "interrupted", companions, death };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#children, ...this.#solitary];
    for (const child of all) child.kill();
    await Promise.all(all.map((child) => child.died));
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #suspect(executionId: string): void {
    this.#suspects.add(executionId);
    for (const oldest of this.#suspects) {
      if (this.#suspects.size <= MAX_SUSPECTS) return;
      this.#suspects.delete(oldest);
    }
  }

  async #runAlone(call: HandlerCall, signal: AbortSignal): Promise<HandlerResult> {
    const child = new HandlerChild(this.#options.program);
    this.#solitary.add(child);
    try {
      const outcome = await this.#runIn(child, call, signal);
      return outcome.kind === "died" ? { kind: "crashed", death: outcome.death } : outcome;
    } finally {
      this.#solitary.delete(child);
      child.kill();
    }
  }

  async #runIn(child: HandlerChild, call: HandlerCall, signal: AbortSignal): Promise<CallOutcome | { kind: "aborted" }> {
    const { id, outcome } = child.start(call);
    let force: NodeJS.Timeout | undefined;
    const abort = () => {
      const { reason, graceMs } = signal.reason as Abort;
      // A handler that had to be told may have left anything behind: its process takes nothing new.
      child.condemned = true;
      this.#replace(child);
      child.abort(id, reason);
      force = setTimeout(() => child.kill(), graceMs);
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const ended = await outcome;
    clearTimeout(force);
    signal.removeEventListener("abort", abort);
    return signal.aborted ? { kind: "aborted" } : ended;
  }

  /** The least loaded child that takes calls; waits for one where all of them are being replaced. */
  async #pick(signal: AbortSignal): Promise<HandlerChild | null> {
    for (;;) {
      if (this.#isClosed || signal.aborted) return null;
      const takers = this.#children.filter((child) => !child.condemned);
      const [least] = takers.sort((a, b) => a.load - b.load);
      if (least) return least;
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener("abort", wake);
          resolve();
        };
        this.#waiting.push(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
  }

  #add(): void {
    if (this.#isClosed) return;
    const child = new HandlerChild(this.#options.program);
    this.#children.push(child);
    child.ready.then(
      () => {
        this.#failures = 0;
      },
      () => undefined,
    );
    void child.died.then((death) => {
      this.#replace(child);
      this.#options.log.debug({ pid: child.pid, death: describeDeath(death), stderr: death.stderr }, "a handler process ended");
    });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Takes a child out of the pool and puts a fresh one in; slower and slower where none of them gets to work. */
  #replace(child: HandlerChild): void {
    const at = this.#children.indexOf(child);
    if (at < 0 || this.#isClosed) return;
    this.#children.splice(at, 1);
    const pauseMs = this.#failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures++;
    if (pauseMs === 0) this.#add();
    else setTimeout(() => this.#add(), pauseMs).unref();
  }
}
