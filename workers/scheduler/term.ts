import { setMaxListeners } from "node:events";
import type { LeaseTiming } from "@/server/engine/leadership/lease-timing";

/** One stretch of leading. Past `trusted` nothing may be issued, whatever the database would say. */
export interface Term {
  readonly epoch: number;
  /** Aborted when the term is over; its reason says why. */
  readonly signal: AbortSignal;
  trusted(): boolean;
}

export interface OwnTerm extends Term {
  /** A renewal that was sent at this moment of the monotonic clock has succeeded. */
  prolong(sentAtMs: number): void;
  end(why: string): void;
}

interface TermOptions {
  readonly epoch: number;
  readonly sentAtMs: number;
  readonly timing: Pick<LeaseTiming, "ttlMs" | "marginMs">;
  readonly monotonicMs: () => number;
  readonly onEnd: (why: string) => void;
}

/**
 * A term is trusted from the sending of its last successful renewal, by the process's own monotonic clock: a database
 * that does not answer, or a process that was frozen, can only make it shorter.
 */
export function beginTerm({ epoch, sentAtMs, timing, monotonicMs, onEnd }: TermOptions): OwnTerm {
  const ended = new AbortController();
  // Every duty listens.
  setMaxListeners(0, ended.signal);
  const windowMs = timing.ttlMs - timing.marginMs;
  let trustUntilMs = sentAtMs + windowMs;
  let watch: NodeJS.Timeout | undefined;

  const trusted = () => !ended.signal.aborted && monotonicMs() < trustUntilMs;
  const end = (why: string) => {
    if (ended.signal.aborted) return;
    clearTimeout(watch);
    ended.abort(why);
    onEnd(why);
  };
  const guard = () => {
    clearTimeout(watch);
    if (ended.signal.aborted) return;
    watch = setTimeout(() => (trusted() ? guard() : end("renewals failed for too long")), trustUntilMs - monotonicMs());
  };
  guard();
  return {
    epoch,
    signal: ended.signal,
    trusted,
    end,
    prolong: (sentAt) => {
      trustUntilMs = Math.max(trustUntilMs, sentAt + windowMs);
      guard();
    },
  };
}
