import type { Ctx } from "@/server/engine/context";
import { createDatabaseClock } from "@/server/engine/leadership/database-clock";
import { openLeaderPool } from "@/server/engine/leadership/leader-pool";
import { openLeaseStore } from "@/server/engine/leadership/lease-store";
import { LEASE_TIMING, type LeaseTiming, SCHEDULER_LEASE } from "@/server/engine/leadership/lease-timing";
import { loopService, type Service } from "@/workers/service";
import { Elector, type ElectorSignals } from "./leader";
import { leaderDuties } from "./leader-duties";
import { createWheelLoop, type LeaderDuty, type LeaderTools } from "./wheel-loop";
import { within } from "./within";

export interface SchedulerOptions {
  readonly databaseUrl: string;
  /** The process acting by itself; the leader works over connections of its own and by the database's clock. */
  readonly ctx: Ctx;
  /** How people know this process, such as host and pid. */
  readonly holder: string;
  readonly timing?: LeaseTiming;
  readonly duties?: (tools: LeaderTools) => readonly LeaderDuty[];
  readonly signals?: ElectorSignals;
  /** A duty that takes longer ends the term. */
  readonly dutyLimitMs?: number;
}

export interface Scheduler extends Service {
  /** It leads, and each of its duties has ended well at least once. */
  leads(): boolean;
}

/** One of any number of schedulers: it stands by, and leads while it holds the lease. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { databaseUrl, ctx, timing = LEASE_TIMING, signals } = options;
  const clock = createDatabaseClock(ctx.clock);
  const loop = createWheelLoop({
    ctx: { ...ctx, clock },
    openPool: () => openLeaderPool(databaseUrl),
    dutiesOf: options.duties ?? leaderDuties(ctx.clock),
    ...(options.dutyLimitMs === undefined ? {} : { dutyLimitMs: options.dutyLimitMs }),
  });
  const owner = { name: SCHEDULER_LEASE, holder: options.holder, bootId: ctx.ids.uuid() };
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const elector = new Elector({
    store: openLeaseStore({ url: databaseUrl, owner, timing, within }),
    timing,
    log: ctx.log,
    monotonicMs: ctx.clock.monotonicMs,
    lead: loop.lead,
    report: loop.report,
    onDatabaseTime: clock.observe,
    onFailure: (error) => fail(error),
    ...(signals ? { signals } : {}),
  });
  const service = loopService({
    name: "scheduler",
    run: async (signal, ready) => {
      const told = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      elector.start();
      ready();
      try {
        await Promise.race([told, failed]);
      } finally {
        await elector.stop();
      }
    },
    health: () => {
      const trouble = elector.trouble();
      return { ok: trouble === null, detail: trouble ?? (elector.leading() ? "leading" : "standing by") };
    },
  });
  return { ...service, leads: () => elector.leading() !== null && loop.ready() };
}
