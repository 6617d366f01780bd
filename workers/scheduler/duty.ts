import { DomainError } from "@/server/domain/failure";
import type { Ctx } from "@/server/engine/context";
import type { Fence } from "@/server/engine/leadership/fence";
import { rootMessage } from "@/server/engine/root-cause";
import type { Recovered } from "@/server/engine/runs/recover";
import { isTransient } from "@/server/engine/transient";
import { createNap } from "./nap";
import type { Term } from "./term";
import { NotAnswered, within } from "./within";

/** One of the leader's loops: it finds what is past its own deadline and lets the engine move it. */
export interface DutySpec {
  readonly name: string;
  /** It runs this often, and at once when the wheel says that something is due. */
  readonly everyMs: number;
  readonly run: (ctx: Ctx, fence: Fence) => Promise<Recovered>;
  /** It tells of what happens and moves nothing that runs: its failures are shown, and cost no term. */
  readonly tellsOnly?: true;
}

export interface DutyHealth {
  readonly name: string;
  readonly failures: number;
  /** Why it failed the last time; null since it ended well. */
  readonly why: string | null;
  /** When it last ended well; null before the first time. */
  readonly lastMs: number | null;
}

export interface Duty {
  readonly name: string;
  readonly tellsOnly: boolean;
  /** Runs it now; while it is at work, once more afterwards. */
  kick(): void;
  /** Works until the term is over. Fails when it has failed too often: a leader does all of its duties or none (B43). */
  work(): Promise<void>;
  health(): DutyHealth;
}

interface DutyOptions {
  readonly ctx: Ctx;
  readonly fence: Fence;
  readonly term: Term;
  readonly onRan?: (duty: string, recovered: Recovered) => void;
  /** A run that has not ended by then hangs: its connection is dead without a word, and it may never end. */
  readonly limitMs?: number;
}

export const MOST_FAILURES = 5;
/** Longer than a batch takes whose every statement is as slow as `statement_timeout` lets it be. */
export const DUTY_LIMIT_MS = 20_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** The database has refused what an older epoch wrote. */
export class TermLost extends Error {}

/** A duty has not ended in time: this term is over, and the next one begins over new connections. */
export class DutyHangs extends Error {}

export function createDuty(spec: DutySpec, { ctx, fence, term, onRan, limitMs = DUTY_LIMIT_MS }: DutyOptions): Duty {
  const nap = createNap();
  term.signal.addEventListener("abort", nap.wake, { once: true });
  let failures = 0;
  let why: string | null = null;
  let lastMs: number | null = null;

  async function runOnce(): Promise<void> {
    for (;;) {
      if (!term.trusted()) return;
      const recovered = await within(spec.run(ctx, fence), limitMs, `duty "${spec.name}"`);
      lastMs = ctx.clock.monotonicMs();
      failures = 0;
      why = null;
      onRan?.(spec.name, recovered);
      // A full batch of which nothing moved would only be found again.
      if (!recovered.more || recovered.count === 0) return;
    }
  }

  /** How long to wait before it runs again; throws when it should not. */
  function judge(error: unknown): number {
    if (error instanceof DomainError && error.code === "stale") throw new TermLost(error.message, { cause: error });
    if (error instanceof NotAnswered) throw new DutyHangs(error.message, { cause: error });
    if (isTransient(error)) {
      ctx.log.debug({ err: error, duty: spec.name }, "duty put off");
      return Math.min(spec.everyMs, FIRST_PAUSE_MS);
    }
    failures++;
    why = rootMessage(error);
    ctx.log.error({ err: error, duty: spec.name, failures }, "duty failed");
    if (failures >= MOST_FAILURES && !spec.tellsOnly)
      throw new Error(`duty "${spec.name}" has failed ${failures} times in a row`, { cause: error });
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
  }

  return {
    name: spec.name,
    tellsOnly: spec.tellsOnly === true,
    kick: nap.wake,
    health: () => ({ name: spec.name, failures, why, lastMs }),
    work: async () => {
      while (!term.signal.aborted) {
        let pauseMs = spec.everyMs;
        try {
          await runOnce();
        } catch (error) {
          if (term.signal.aborted) return;
          pauseMs = judge(error);
        }
        if (!term.signal.aborted) await nap.sleep(pauseMs);
      }
    },
  };
}
