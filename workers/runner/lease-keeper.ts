import { hostname } from "node:os";
import { DomainError } from "@/server/domain/failure";
import type { WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { DatabaseLine } from "@/server/engine/renewable-line";
import { rootMessage, sqlState } from "@/server/engine/root-cause";
import { WORKER_LEASE_MS, WORKER_MARGIN_MS, WORKER_RENEW_MS } from "@/server/engine/workers/lease-term";
import { type NameHolder, registerWorker, type WorkerRegistration } from "@/server/engine/workers/register-worker";
import { releaseWorker } from "@/server/engine/workers/release-worker";
import { type BreakerOrder, type Heartbeat, renewWorker } from "@/server/engine/workers/renew-worker";
import { NoAnswer, within } from "./within";

/** A connection of its own, so that a renewal never waits behind the work. */
export type Lane = DatabaseLine;

export interface LeaseKeeperOptions {
  readonly ctx: Ctx;
  openLane(): Lane;
  registration(): Omit<WorkerRegistration, "bootId" | "previousBootIds">;
  heartbeat(): Heartbeat;
  /** The lease is over by this process's own clock: what runs under it must stop. */
  onLapsed(): void;
  onRegistered(): void;
  onDraining(draining: boolean): void;
  onBreaker(order: BreakerOrder): void;
}

const RETRY_MS = 1_000;
const ANSWER_LIMIT_MS = 2_500;
const MAX_BOOT_IDS = 50;
const START_PATIENCE_MS = 60_000;

/** What is no matter of this process alone: no connection to be had, a database that starts or is too busy to answer. */
const mayPass = (error: unknown) => error instanceof NoAnswer || /^(53|57|08)/.test(sqlState(error));

/**
 * Holds the worker's lease: registers, renews, and says so when it is over. Trust ends by this process's monotonic clock,
 * counted from when the last good renewal was sent, so that a hung database or a cut network ends it too.
 */
export class LeaseKeeper {
  #options: LeaseKeeperOptions;
  #lane: Lane;
  #lease: WorkerLease | null = null;
  #bootIds: readonly string[] = [];
  #trustedUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isStopped = false;
  #renewing: Promise<void> = Promise.resolve();
  #fail: (error: Error) => void = () => undefined;
  /** Rejects when the name was taken by another process: this one has to end. */
  readonly failed: Promise<never>;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
    this.#lane = options.openLane();
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined);
  }

  /** The lease while it may be trusted, else null. */
  get lease(): WorkerLease | null {
    return this.#options.ctx.clock.monotonicMs() < this.#trustedUntilMs ? this.#lease : null;
  }

  /** The lease as last held: good enough for a report, which is judged by its token. */
  get lastLease(): WorkerLease | null {
    return this.#lease;
  }

  /**
   * Waits a little for a name whose holder may be dead; one that renews meanwhile is alive and keeps it. Where the database
   * has no connection to give, or is too busy to answer, it is asked again.
   */
  async start(): Promise<void> {
    const { clock, log } = this.#options.ctx;
    const untilMs = clock.monotonicMs() + START_PATIENCE_MS;
    let seenAt: unknown;
    for (;;) {
      try {
        await this.#register();
        break;
      } catch (error) {
        if (error instanceof DomainError && error.code === "conflict") {
          seenAt ??= String(error.details.seenAt);
          if (seenAt !== String(error.details.seenAt)) throw error;
        } else {
          if (!mayPass(error) || clock.monotonicMs() > untilMs) throw error;
          log.warn({ why: rootMessage(error) }, "the worker could not register; it is tried again");
          this.#freshLane();
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#schedule(WORKER_RENEW_MS);
  }

  /** Renews now, so that what the heartbeat says is seen at once. */
  renewSoon(): void {
    if (!this.#isStopped && this.#lease) this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#expiry);
    await this.#renewing;
    const lease = this.#lease;
    this.#trustedUntilMs = 0;
    if (lease) await within(ANSWER_LIMIT_MS, "the lease", releaseWorker(this.#lane, lease)).catch(() => undefined);
    await this.#lane.close().catch(() => undefined);
  }

  async #register(): Promise<void> {
    const { ctx } = this.#options;
    const sentMs = this.#options.ctx.clock.monotonicMs();
    const registration = { ...this.#options.registration(), bootId: ctx.ids.uuid(), previousBootIds: this.#bootIds };
    // Also where no answer comes: the registration may have been made.
    this.#bootIds = [...this.#bootIds, registration.bootId].slice(-MAX_BOOT_IDS);
    this.#lease = await within(ANSWER_LIMIT_MS, "the lease", registerWorker({ ...ctx, db: this.#lane.db }, registration, isGone));
    this.#trust(sentMs);
    this.#options.onRegistered();
  }

  #trust(sentMs: number): void {
    const { clock } = this.#options.ctx;
    this.#trustedUntilMs = sentMs + WORKER_LEASE_MS - WORKER_MARGIN_MS;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(
      () => this.#lapse("its renewals did not get through"),
      Math.max(0, this.#trustedUntilMs - clock.monotonicMs()),
    );
  }

  #lapse(why: string): void {
    if (this.#isStopped || this.#trustedUntilMs === 0) return;
    this.#trustedUntilMs = 0;
    clearTimeout(this.#expiry);
    this.#options.ctx.log.warn({ why }, "the worker's lease is over; what it runs is ended, and it registers again");
    this.#options.onLapsed();
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renewing.then(() => this.#beat());
    }, delayMs);
  }

  async #beat(): Promise<void> {
    if (this.#isStopped) return;
    try {
      if (this.lease) await this.#renew(this.lease);
      else await this.#register();
      this.#schedule(WORKER_RENEW_MS);
    } catch (error) {
      this.#options.ctx.log.warn({ error: rootMessage(error) }, "the worker's lease could not be renewed; it is tried again");
      this.#freshLane();
      this.#schedule(RETRY_MS);
    }
  }

  async #renew(lease: WorkerLease): Promise<void> {
    const sentMs = this.#options.ctx.clock.monotonicMs();
    const renewal = await within(ANSWER_LIMIT_MS, "the lease", renewWorker(this.#lane, lease, this.#options.heartbeat()));
    switch (renewal.kind) {
      case "renewed":
        this.#trust(sentMs);
        this.#options.onDraining(renewal.draining);
        this.#options.onBreaker(renewal.breaker);
        return;
      case "lapsed":
        this.#lapse("the database says that it ran out");
        await this.#register();
        return;
      case "taken":
        // One whose answer never came may be committed after all, and later than the next one.
        if (this.#bootIds.includes(renewal.bootId)) {
          this.#lapse("a registration of its own was made late");
          await this.#register();
          return;
        }
        this.#lapse("another process registered under its name");
        this.#isStopped = true;
        this.#fail(
          new Error(
            `another worker took the name ${lease.id}: ${renewal.hostname}, process ${renewal.pid}. Give each its own APOLLO_WORKER_ID.`,
          ),
        );
    }
  }

  /** A connection that does not answer may never: the next try gets another. */
  #freshLane(): void {
    const old = this.#lane;
    this.#lane = this.#options.openLane();
    void old.close().catch(() => undefined);
  }
}

/** Whether the process that holds a name is gone: known only of this machine's own processes. */
function isGone(holder: NameHolder): boolean {
  if (holder.hostname !== hostname()) return false;
  if (holder.pid === process.pid) return true;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
