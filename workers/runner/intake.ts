import type { ClaimedNode, WorkerLease } from "@/server/domain/run/work";
import type { Ctx } from "@/server/engine/context";
import type { Listening } from "@/server/engine/ports";
import { rootMessage, sqlState } from "@/server/engine/root-cause";
import { claimReady } from "@/server/engine/runs/claim";
import type { RunMemory } from "@/server/engine/runs/run-memory";
import type { Ask } from "./ask";
import type { Slots } from "./slots";

export interface IntakeOptions {
  readonly ctx: Ctx;
  readonly ask: Ask;
  readonly groups: readonly string[];
  readonly slots: Slots;
  /** Learns what is claimed. */
  readonly memory?: RunMemory;
  /** The lease to claim with; null while the worker takes nothing. */
  lease(): WorkerLease | null;
  onClaimed(nodes: readonly ClaimedNode[]): void;
  /** A claim whose answer was lost may have taken nodes all the same. */
  onUncertain(): void;
}

/** SQLSTATE classes of what only a person can put right: a permission, a table, a function that is not there. */
const FOR_A_PERSON = /^(28|3D|3F|42)/;
const TELL_EVERY_MS = 60_000;
const RING_ON_EVERY_MS = 25;
/** What one claim asks for: what it brings starts while the next claim is on its way, and what ends is settled meanwhile. */
const AT_ONCE = 50;

/** Takes nodes: at a ring, once a second, and whenever a slot is free and something is known to wait. */
export class Intake {
  #options: IntakeOptions;
  #listening: Listening | null = null;
  #isPaused = false;
  #pulling: Promise<void> | null = null;
  #pullAgain = false;
  /** The last claim left rows behind, as far as is known. */
  #mayBeMore = false;
  #rungOnMs = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** What keeps it from taking nodes and will not pass by itself, such as a missing permission or a lost table. */
  get trouble(): string | null {
    return this.#trouble;
  }

  async listen(): Promise<void> {
    const { ctx, groups } = this.#options;
    this.#listening = await ctx.ports.doorbell.listen(groups, (group) => this.#onRing(group));
  }

  async close(): Promise<void> {
    await Promise.all([this.#listening?.close().catch(() => undefined), this.#pulling]);
    this.#listening = null;
  }

  /** Claims as many nodes as there are free slots. One claim in flight; a call meanwhile makes it look once more. */
  pull(): Promise<void> {
    this.#pullAgain = true;
    this.#pulling ??= this.#claimAll().finally(() => {
      this.#pulling = null;
    });
    return this.#pulling;
  }

  /** A slot may be free again: take what is known to wait, and listen again. */
  onFree(): void {
    if (this.#options.slots.free === 0 || this.#options.lease() === null) return;
    if (this.#mayBeMore) void this.pull();
    this.#listenAgain();
  }

  #listenAgain(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#listening?.resume();
  }

  async #onRing(group: string): Promise<void> {
    const { ctx, slots, lease } = this.#options;
    const takes = lease() !== null;
    // While a claim is under way its slots count as taken; it looks once more, and rings on if it fills them. Rings that come
    // meanwhile wait for it and so become one; the first does not, since an answer costs the next ring its time.
    if (takes && this.#pulling !== null) return this.pull();
    if (takes && slots.free > 0) return void this.pull();
    // Full, or it takes nothing: the ring goes on to another worker, and this one hears no more until it can answer.
    if (takes) this.#mayBeMore = true;
    this.#isPaused = true;
    this.#listening?.pause();
    await ctx.ports.doorbell.ring([group]);
  }

  async #claimAll(): Promise<void> {
    const { groups, slots, onClaimed } = this.#options;
    while (this.#pullAgain) {
      this.#pullAgain = false;
      const worker = this.#options.lease();
      const limit = Math.min(slots.free, AT_ONCE);
      if (!worker || limit === 0) return;
      this.#listenAgain();
      const claimed = await this.#claim(worker, limit);
      onClaimed(claimed);
      if (this.#mayBeMore) this.#ringOn(groups);
      if (claimed.length === limit) this.#pullAgain = true;
    }
  }

  /**
   * Rows may be left: whoever is idle looks next. Not after each claim of a long backlog, where nobody is idle and a ring
   * is work for the queue alone; one that is left out is made up for by the next claim, which comes as slots are free.
   */
  #ringOn(groups: readonly string[]): void {
    const { ports, clock } = this.#options.ctx;
    if (clock.monotonicMs() - this.#rungOnMs < RING_ON_EVERY_MS) return;
    this.#rungOnMs = clock.monotonicMs();
    void ports.doorbell.ring(groups);
  }

  async #claim(worker: WorkerLease, limit: number): Promise<readonly ClaimedNode[]> {
    const { ask, groups, slots, memory, onUncertain } = this.#options;
    const reserved = slots.reserve(limit);
    try {
      const claimed = await ask("claim", (asking) => claimReady(asking, { worker, groups, limit, memory }));
      this.#mayBeMore = claimed.length === limit;
      this.#trouble = null;
      return claimed;
    } catch (error) {
      this.#tell(error);
      onUncertain();
      return [];
    } finally {
      reserved.release();
    }
  }

  #tell(error: unknown): void {
    const { log, clock } = this.#options.ctx;
    const why = rootMessage(error);
    if (!FOR_A_PERSON.test(sqlState(error))) {
      log.warn({ error: why }, "no nodes could be claimed; it is tried again");
      return;
    }
    this.#trouble = why;
    if (clock.monotonicMs() - this.#toldMs < TELL_EVERY_MS) return;
    this.#toldMs = clock.monotonicMs();
    log.error({ err: error, why }, "no nodes can be claimed until what the database refuses is put right; it is tried again");
  }
}
