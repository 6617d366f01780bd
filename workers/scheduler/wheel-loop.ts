import type { Ctx } from "@/server/engine/context";
import type { LeaderPool } from "@/server/engine/leadership/leader-pool";
import { SCHEDULER_LEASE } from "@/server/engine/leadership/lease-timing";
import { upcomingTimers } from "@/server/engine/schedules/upcoming-timers";
import { createDuty, type Duty, DutyHangs, type DutySpec, TermLost } from "./duty";
import { createNap } from "./nap";
import type { Term } from "./term";
import { type WakeKind, Wheel } from "./wheel";

/** One timer per row that is due within this; farther rows stay in Postgres. */
const HORIZON_MS = 600_000;
/** Each second what is due soon is looked at again, as the net under lost words. */
const NEAR_MS = 3_000;
const REFRESH_EVERY_MS = 1_000;
const WHOLE_EVERY_MS = 60_000;
/** What is still under way so long after the end of a term is cut off. */
const LET_GO_MS = 800;

/** A duty, and which timers of the wheel wake it. */
export interface LeaderDuty extends DutySpec {
  readonly wokenBy?: readonly WakeKind[];
}

/** What a duty may tell the others of. */
export interface LeaderTools {
  /** The next fire of a schedule. */
  setSchedule(id: string, version: number, at: Date | null): void;
  kick(duty: string): void;
}

export interface WheelLoop {
  /** Leads until the term is over. */
  lead(term: Term): Promise<void>;
  report(): Readonly<Record<string, unknown>>;
  /** It leads, and each duty has ended well at least once. */
  ready(): boolean;
}

export interface WheelLoopOptions {
  readonly ctx: Ctx;
  /** Each term works over connections of its own: those of the last one may be dead, and hold what was under way. */
  readonly openPool: () => LeaderPool;
  readonly dutiesOf: (tools: LeaderTools) => readonly LeaderDuty[];
  readonly dutyLimitMs?: number;
}

/**
 * What a leader does: it builds an empty wheel up from Postgres, lets it wake the duties at their exact millisecond, and
 * runs each of them by itself as well. The wheel's turn only says what is due; the duties do it, over a bounded pool.
 */
export function createWheelLoop(options: WheelLoopOptions): WheelLoop {
  const { ctx } = options;
  let reign: Reign | null = null;
  return {
    lead: async (term) => {
      const pool = options.openPool();
      const own = new Reign({ ...ctx, db: pool.db }, term, options);
      reign = own;
      const letGo = once(() => pool.close().catch((error: unknown) => ctx.log.debug({ err: error }, "a dead pool was left")));
      term.signal.addEventListener("abort", () => setTimeout(() => void letGo(), LET_GO_MS).unref(), { once: true });
      pool.onSchedulesChanged(() => own.refreshWhole()).catch((error: unknown) => ctx.log.debug({ err: error }, "nobody listens yet"));
      try {
        await own.run();
      } catch (error) {
        endOfTerm(ctx, term, error);
      } finally {
        if (reign === own) reign = null;
        await letGo();
      }
    },
    report: () => reign?.report() ?? {},
    ready: () => reign?.ready() ?? false,
  };
}

/** Throws what this process is to blame for. */
function endOfTerm({ log }: Ctx, { epoch }: Term, error: unknown): void {
  if (error instanceof TermLost) log.warn({ err: error, epoch }, "fenced: another leads, and nothing was written");
  else if (error instanceof DutyHangs) log.error({ err: error, epoch }, "a duty hangs: the term ends, and its connections are given up");
  else throw error;
}

function once<T>(work: () => T): () => T {
  let done: { readonly value: T } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
}

class Reign {
  private readonly wheel: Wheel;
  private readonly duties: readonly Duty[];
  private readonly refresh: Duty;
  private readonly built = createNap();
  private wholeAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ctx: Ctx,
    private readonly term: Term,
    { dutiesOf, dutyLimitMs }: WheelLoopOptions,
  ) {
    const fence = { name: SCHEDULER_LEASE, epoch: term.epoch };
    const options = { ctx, fence, term, ...(dutyLimitMs === undefined ? {} : { limitMs: dutyLimitMs }) };
    const specs = dutiesOf({
      setSchedule: (id, version, at) => this.wheel.setSchedule(id, version, this.nearer(at)),
      kick: (name) => this.duties.find((duty) => duty.name === name)?.kick(),
    });
    this.duties = specs.map((spec) => createDuty(spec, options));
    const wokenBy = new Map<WakeKind, Duty[]>();
    specs.forEach(({ wokenBy: kinds = [] }, index) => {
      const duty = this.duties[index];
      for (const kind of kinds) if (duty) wokenBy.set(kind, [...(wokenBy.get(kind) ?? []), duty]);
    });
    this.wheel = new Wheel(ctx.clock, (kind) => {
      if (term.trusted()) for (const duty of wokenBy.get(kind) ?? []) duty.kick();
    });
    this.refresh = createDuty({ name: "timers", everyMs: REFRESH_EVERY_MS, run: () => this.readTimers() }, options);
  }

  async run(): Promise<void> {
    this.term.signal.addEventListener("abort", this.built.wake, { once: true });
    try {
      // The whole horizon is in the wheel before anything of it is done (B31).
      await Promise.all([this.refresh.work(), this.built.wait().then(() => Promise.all(this.duties.map((duty) => duty.work())))]);
    } finally {
      this.wheel.stop();
    }
  }

  refreshWhole(): void {
    this.wholeAtMs = Number.NEGATIVE_INFINITY;
    this.refresh.kick();
  }

  report(): Record<string, unknown> {
    const failing = [this.refresh, ...this.duties].flatMap((duty) => {
      const { name, why } = duty.health();
      return why === null ? [] : [{ name, why }];
    });
    return { ...this.wheel.report(), duties: this.duties.length, failing };
  }

  ready(): boolean {
    return this.term.trusted() && this.duties.every((duty) => duty.tellsOnly || duty.health().lastMs !== null);
  }

  private async readTimers() {
    const { clock } = this.ctx;
    const whole = clock.monotonicMs() >= this.wholeAtMs;
    if (whole) this.wholeAtMs = clock.monotonicMs() + WHOLE_EVERY_MS;
    try {
      const upcoming = await upcomingTimers(this.ctx, new Date(clock.now().getTime() + (whole ? HORIZON_MS : NEAR_MS)));
      this.wheel.take(upcoming, whole);
    } catch (error) {
      if (whole) this.wholeAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
    this.built.wake();
    return { count: 0, more: false };
  }

  private nearer(at: Date | null): number | null {
    const atMs = at?.getTime() ?? Number.POSITIVE_INFINITY;
    return atMs <= this.ctx.clock.now().getTime() + HORIZON_MS ? atMs : null;
  }
}
