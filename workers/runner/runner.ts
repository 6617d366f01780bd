import { hostname } from "node:os";
import { join } from "node:path";
import type { Refusal } from "@/server/domain/run/refusal";
import type { AttemptReport, ClaimedNode } from "@/server/domain/run/work";
import type { ClockWatch } from "@/server/engine/clock-watch";
import { type RenewableLine, renewableLine } from "@/server/engine/renewable-line";
import { countDeaths } from "@/server/engine/runs/count-deaths";
import { RunMemory } from "@/server/engine/runs/run-memory";
import { settleReports } from "@/server/engine/runs/settle";
import { resolveSecrets } from "@/server/engine/secrets/resolve-secrets";
import { loopService, type Service, type ServiceHealth } from "../service";
import { type Ask, asker } from "./ask";
import { type AttemptWorld, type RunningAttempt, startAttempt } from "./attempt";
import { AttemptWatch } from "./attempt-watch";
import { BreakerGuard } from "./breaker-guard";
import { ErrorBuffer } from "./error-buffer";
import { executeCommand } from "./executors/command";
import type { DeathsBefore } from "./executors/execution";
import { executeHandler } from "./executors/handler";
import { executeHttp } from "./executors/http";
import { fingerprintOf } from "./fingerprint";
import { HandlerPool } from "./handlers/handler-pool";
import { probePool } from "./handlers/probe-pool";
import type { OfferedTask } from "./handlers/protocol";
import { Intake } from "./intake";
import { type Lane, LeaseKeeper } from "./lease-keeper";
import { endLeftovers, markOf, watchOver } from "./leftovers";
import { appendBy } from "./log-lane";
import { LogSink } from "./log-sink";
import { MachineWatch } from "./machine-watch";
import { readPressure } from "./pressure";
import { MARK } from "./process-tree";
import type { RunnerOptions } from "./runner-options";
import { Scratch } from "./scratch";
import { SettleLoop } from "./settle-loop";
import { Slots } from "./slots";
import { DATABASE_LIMIT_MS, within } from "./within";
import { workerClock } from "./worker-clock";

const POLL_MS = 1_000;
const WATCH_MS = 1_000;
const PRESSURE_MS = 2_000;
const CLOCK_MS = 10_000;
const CANCEL_GRACE_MS = 5_000;
const LAPSE_GRACE_MS = 2_000;
/** In the margin before the lease is over for the database too. */
const LAST_HEARING_MS = 200;
const DRAIN_GRACE_MS = 1_000;
const LAST_WORDS_MS = 5_000;

/** A worker: takes nodes of its groups, as many as it has slots, executes and reports them. */
export function createRunner(options: RunnerOptions): Service {
  let runner: Runner | undefined;
  return loopService({
    name: `worker ${options.id}`,
    run: async (signal, ready) => {
      runner = new Runner(options);
      try {
        await runner.start();
        ready();
        await Promise.race([whenAborted(signal), runner.failed]);
      } finally {
        await runner.stop();
      }
    },
    health: () => runner?.health() ?? { ok: false },
  });
}

const whenAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
const idOf = (node: { runId: string; key: string; token: number }) => `${node.runId}/${node.key}/${node.token}`;

class Runner {
  readonly #options: RunnerOptions;
  readonly #active = new Map<string, RunningAttempt>();
  readonly #scratch: Scratch;
  readonly #mark: ReturnType<typeof markOf>;
  readonly #logLane: RenewableLine<Lane>;
  readonly #ask: Ask;
  readonly #sink: LogSink;
  readonly #buffer: ErrorBuffer;
  readonly #pool: HandlerPool;
  readonly #slots: Slots;
  readonly #settling: SettleLoop;
  readonly #intake: Intake;
  readonly #watch: AttemptWatch;
  readonly #machine: MachineWatch;
  readonly #clock: ClockWatch;
  readonly #breaker: BreakerGuard;
  readonly #keeper: LeaseKeeper;
  readonly #world: AttemptWorld;
  readonly #memory = new RunMemory(() => this.#options.ctx.clock.monotonicMs());
  #tasks: readonly OfferedTask[] = [];
  #live: { close(): Promise<void> } | null = null;
  #watcher: { stop(): void } | null = null;
  #timers: NodeJS.Timeout[] = [];
  #isReady = false;
  #isDraining = false;
  #isStopping = false;

  constructor(options: RunnerOptions) {
    const { ctx, id, dataDir } = options;
    this.#options = options;
    const folder = join(dataDir, "workers", id);
    this.#mark = markOf(dataDir, id, ctx.ids.randomHex(6));
    this.#scratch = new Scratch(folder, this.#mark.start);
    const limitMs = options.answerLimitMs ?? DATABASE_LIMIT_MS;
    this.#ask = asker({ ctx, limitMs, giveUp: (dead) => options.renewPool(dead) });
    this.#logLane = renewableLine(() => options.openLane("logs"));
    this.#sink = new LogSink({ append: appendBy(ctx, this.#logLane, limitMs), clock: ctx.clock, log: ctx.log });
    this.#buffer = new ErrorBuffer(join(folder, "failures.jsonl"), ctx.log);
    this.#pool = this.#newPool();
    this.#world = this.#newWorld();
    this.#settling = this.#newSettling();
    this.#slots = new Slots(options.slots, () => this.#active.size + this.#settling.waiting, ctx.clock.monotonicMs);
    this.#intake = this.#newIntake();
    this.#watch = this.#newWatch();
    this.#machine = this.#newMachine();
    this.#clock = this.#newClock();
    this.#breaker = this.#newBreaker();
    this.#keeper = this.#newKeeper();
  }

  /** Rejects when the worker has to end by itself. */
  get failed(): Promise<never> {
    return this.#keeper.failed;
  }

  health(): ServiceHealth {
    const ok = this.#keeper.lease !== null;
    return { ok, detail: ok ? `${this.#active.size} of ${this.#options.slots} slots` : "no lease" };
  }

  async start(): Promise<void> {
    const { ctx, id, groups, slots } = this.#options;
    await this.#scratch.open();
    this.#watcher = watchOver(this.#mark);
    const { tasks, problems } = await this.#pool.start();
    this.#tasks = tasks;
    for (const problem of problems) ctx.log.error(problem, "a handler file could not be loaded");
    await this.#machine.look();
    await this.#keeper.start();
    await this.#endLeftovers();
    this.#isReady = true;
    for (const report of this.#buffer.leftover()) this.#settling.push(report);
    await this.#intake.listen();
    this.#live = await ctx.ports.live.subscribe(
      (projectId) => this.#onChange(projectId),
      () => this.#watch.lookSoon(),
    );
    this.#every(POLL_MS, () => this.#intake.pull());
    this.#every(WATCH_MS, () => this.#watch.look());
    this.#every(PRESSURE_MS, () => this.#machine.look());
    this.#every(this.#options.clockWatchMs ?? CLOCK_MS, () => this.#clock.look());
    ctx.log.info({ id, groups, slots, tasks: tasks.map((task) => task.name) }, "the worker takes nodes");
    void this.#intake.pull();
  }

  /** Lets what runs end, for the time that it is given; hands back what does not. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#keeper.renewSoon();
    await Promise.all([this.#intake.close(), this.#live?.close()]);
    await this.#allEnded(this.#options.drainMs);
    const shutdown = { kind: "drain", reason: "the worker shuts down", graceMs: DRAIN_GRACE_MS } as const;
    for (const attempt of this.#active.values()) attempt.kill(shutdown);
    await this.#allEnded(DRAIN_GRACE_MS + LAST_WORDS_MS);
    await this.#settling.idle(LAST_WORDS_MS);
    for (const timer of this.#timers) clearInterval(timer);
    this.#watch.stop();
    await this.#sink.close(LAST_WORDS_MS);
    await this.#keeper.stop();
    await this.#pool.close();
    this.#watcher?.stop();
    this.#machine.stop();
    this.#buffer.close();
    await Promise.all([this.#logLane.close().catch(() => undefined), this.#scratch.close()]);
  }

  /** Only who holds the name may do this: before, it would end the work of a live worker of the same name. */
  async #endLeftovers(): Promise<void> {
    const left = await endLeftovers(this.#mark);
    if (left > 0) {
      this.#options.ctx.log.warn({ processes: left }, "processes of an earlier start of this worker were still running and were ended");
    }
    await this.#scratch.removeOthers();
  }

  get #refusing(): Refusal | null {
    if (this.#isStopping || this.#isDraining) return "drain";
    if (this.#breaker.takesNone) return "breaker";
    return this.#clock.isAstray ? "clock" : this.#machine.refusing;
  }

  get #takesNodes(): boolean {
    return this.#isReady && this.#refusing === null && this.#keeper.lease !== null;
  }

  #newPool(): HandlerPool {
    const { handlers, inherited, ctx } = this.#options;
    const { entry, execArgv, folders, processes } = handlers;
    const env = { ...inherited, [MARK]: `${this.#mark.start}.handlers` };
    return new HandlerPool({ program: { entry, execArgv, folders, env }, size: processes, log: ctx.log });
  }

  #newWorld(): AttemptWorld {
    const { ctx, inherited } = this.#options;
    const { clock, log } = ctx;
    // Where the database does not answer, the retry budget alone is the bound.
    const deathsBefore: DeathsBefore = (claimed) => this.#ask("deaths", (asking) => countDeaths(asking, claimed)).catch(() => 0);
    const command = { inherited, scratch: this.#scratch.path, mark: this.#mark.start, deathsBefore };
    return {
      clock,
      log,
      sink: this.#sink,
      secretsOf: (projectId, names) => this.#ask("secrets", (asking) => resolveSecrets(asking, projectId, names)),
      executors: {
        http: (execution) => executeHttp({ http: ctx.ports.http, clock }, execution),
        command: (execution) => executeCommand(command, execution),
        handler: (execution) => executeHandler({ pool: this.#pool, monotonicMs: clock.monotonicMs, deathsBefore }, execution),
      },
    };
  }

  #newSettling(): SettleLoop {
    return new SettleLoop({
      settle: (reports, slots) => this.#settle(reports, slots),
      reserve: () => this.#slots.reserve(this.#takesNodes ? this.#slots.free : 0),
      onSettled: () => {
        if (this.#settling.owesNothing) this.#buffer.clear();
      },
      onHandedOn: (nodes) => {
        this.#startAll(nodes);
        this.#intake.onFree();
      },
      onUncertain: () => this.#watch.expectStrays(),
      log: this.#options.ctx.log,
    });
  }

  #newIntake(): Intake {
    const { ctx, groups } = this.#options;
    return new Intake({
      ctx,
      ask: this.#ask,
      groups,
      slots: this.#slots,
      lease: () => (this.#takesNodes ? this.#keeper.lease : null),
      memory: this.#memory,
      onClaimed: (nodes) => this.#startAll(nodes),
      onUncertain: () => this.#watch.expectStrays(),
    });
  }

  #newWatch(): AttemptWatch {
    return new AttemptWatch({
      ctx: this.#options.ctx,
      ask: this.#ask,
      lease: () => this.#keeper.lease,
      held: () => [...this.#active.values()].map(({ claimed: { runId, key, token } }) => ({ runId, key, token })),
      knownOf: (attempt) => this.#active.has(idOf(attempt)) || this.#settling.knows(attempt),
      isAwaited: (momentMs) => this.#slots.isAskedBefore(momentMs),
      onRevoked: (attempt) =>
        this.#active.get(idOf(attempt))?.kill({ kind: "revoked", reason: "the attempt was cancelled", graceMs: CANCEL_GRACE_MS }),
      handBack: (report) => this.#settling.push(report),
    });
  }

  #newMachine(): MachineWatch {
    const { ctx, dataDir, readPressure: read = () => readPressure(dataDir) } = this.#options;
    return new MachineWatch({
      read,
      log: ctx.log,
      onChange: () => this.#tellRefusal(),
    });
  }

  #newClock(): ClockWatch {
    const { ctx, id } = this.#options;
    return workerClock({
      id,
      log: ctx.log,
      ask: this.#ask,
      measure: () => this.#options.clockOffsetMs(),
      onChange: () => this.#tellRefusal(),
    });
  }

  #newBreaker(): BreakerGuard {
    return new BreakerGuard({
      log: this.#options.ctx.log,
      ask: this.#ask,
      lease: () => this.#keeper.lease,
      probe: (probeId) => probePool(this.#pool, probeId),
      onChange: () => this.#tellRefusal(),
    });
  }

  /** What the heartbeat says of it is seen at once; and if it takes nodes again, it does so at once. */
  #tellRefusal(): void {
    this.#keeper.renewSoon();
    void this.#intake.pull();
  }

  #newKeeper(): LeaseKeeper {
    const { ctx, id, groups, slots } = this.#options;
    const identity = { id, groups, slots, hostname: hostname(), pid: process.pid, site: null, fingerprint: fingerprintOf() };
    return new LeaseKeeper({
      ctx,
      openLane: () => this.#options.openLane("lease"),
      registration: () => ({ ...identity, tasks: this.#tasks }),
      heartbeat: () => ({
        refusing: this.#refusing,
        report: { ...this.#machine.report(), active: this.#active.size, slots, trouble: this.#intake.trouble },
      }),
      onLapsed: () => this.#endLapsed(),
      onRegistered: () => void this.#intake.pull(),
      onBreaker: (order) => this.#breaker.hear(order),
      onDraining: (draining) => {
        if (draining === this.#isDraining) return;
        this.#isDraining = draining;
        ctx.log.info({ draining }, draining ? "the worker takes no new node" : "the worker takes nodes again");
        if (!draining) void this.#intake.pull();
      },
    });
  }

  async #settle(reports: readonly AttemptReport[], slots: number) {
    // A report is judged by its token, so that the last lease does, though it may be over.
    const worker = this.#keeper.lastLease;
    if (!worker) throw new Error("the worker has not registered yet");
    const free = Object.fromEntries(this.#options.groups.map((group) => [group, slots]));
    return this.#ask("settle", (ctx) => settleReports(ctx, { worker, reports, free, memory: this.#memory }));
  }

  #startAll(nodes: readonly ClaimedNode[]): void {
    for (const node of nodes) this.#start(node);
  }

  #start(claimed: ClaimedNode): void {
    const id = idOf(claimed);
    const attempt = startAttempt(this.#world, claimed, this.#options.ctx.clock.monotonicMs());
    this.#active.set(id, attempt);
    void attempt.ended.then((report) => {
      this.#active.delete(id);
      if (report) {
        this.#buffer.keep(report);
        this.#settling.push(report);
      } else this.#intake.onFree();
    });
  }

  #onChange(projectId: string): void {
    if ([...this.#active.values()].some(({ claimed }) => claimed.projectId === projectId)) this.#watch.lookSoon();
  }

  /** One that was frozen sees its lease end before it hears what its nodes did: they get a moment to tell, and it is recorded (IDM-2). */
  #endLapsed(): void {
    const held = [...this.#active.values()];
    const end = () => {
      for (const attempt of held) attempt.kill({ kind: "lapsed", reason: "the worker's lease is over", graceMs: LAPSE_GRACE_MS });
    };
    setTimeout(end, LAST_HEARING_MS);
  }

  async #allEnded(limitMs: number): Promise<void> {
    const all = Promise.all([...this.#active.values()].map((attempt) => attempt.ended));
    await within(limitMs, "the attempts", all).catch(() => undefined);
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      void work().finally(() => {
        isBusy = false;
      });
    }, intervalMs);
    this.#timers.push(timer);
  }
}
