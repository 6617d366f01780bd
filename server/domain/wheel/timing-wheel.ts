import { NONE, TimerStore } from "./timer-store";

interface Level {
  readonly tickMs: number;
  readonly size: number;
  /** Number of the level's first bucket in the store. */
  readonly base: number;
}

// Each level spans one tick of the level above it; the hours span a day.
const LOWEST: Level = { tickMs: 10, size: 100, base: 0 };
const SECONDS: Level = { tickMs: 1_000, size: 60, base: 100 };
const MINUTES: Level = { tickMs: 60_000, size: 60, base: 160 };
const HIGHEST: Level = { tickMs: 3_600_000, size: 24, base: 220 };
const UPWARDS: readonly Level[] = [LOWEST, SECONDS, MINUTES, HIGHEST];
const DOWNWARDS: readonly Level[] = [HIGHEST, MINUTES, SECONDS, LOWEST];
const OVERFLOW = 244;
const BUCKETS = 245;

/** Names a waiting timer; worth nothing once it has fired or was cancelled. */
export type TimerHandle = number;

export interface DueTimer<T> {
  readonly dueMs: number;
  readonly item: T;
}

/**
 * A hierarchical timing wheel as a plain data structure: the clock is an argument, nothing waits.
 * Insert and cancel are O(1); a timer moves down at most once per level before it fires. Timers
 * fire by their exact millisecond, in order of due time and then of insertion, each once.
 */
export class TimingWheel<T> {
  private readonly store = new TimerStore<T>(BUCKETS);
  /** Earliest due time in a bucket; after a cancel it may be too early, never too late. */
  private readonly earliest = new Float64Array(BUCKETS).fill(Number.POSITIVE_INFINITY);
  /** How far the wheel has turned; a clock that steps back does not turn it back. */
  private turnedTo: number;

  constructor(nowMs: number) {
    this.turnedTo = nowMs;
  }

  /** Timers that wait. */
  get size(): number {
    return this.store.size;
  }

  /** Adds a timer; one that is already due fires with the next `advance`. */
  insert(dueMs: number, item: T): TimerHandle {
    if (!Number.isFinite(dueMs)) throw new RangeError(`a timer needs a time in milliseconds, not ${dueMs}`);
    const slot = this.store.take(dueMs, item);
    this.place(slot);
    return this.store.handleOf(slot);
  }

  /** Takes a waiting timer out; false if it has fired or was cancelled before. */
  cancel(handle: TimerHandle): boolean {
    const slot = this.store.slotOf(handle);
    if (slot === null) return false;
    const bucket = this.store.unlink(slot);
    if (this.store.isEmpty(bucket)) this.earliest[bucket] = Number.POSITIVE_INFINITY;
    this.store.release(slot);
    return true;
  }

  /** Turns the wheel to `nowMs` and hands out every timer that is due by then, in time order. */
  advance(nowMs: number): DueTimer<T>[] {
    const due: DueTimer<T>[] = [];
    for (;;) {
      const turn = this.nextTurn();
      if (turn === null || turn.atMs > nowMs) break;
      this.turnedTo = Math.max(this.turnedTo, turn.atMs);
      if (turn.bucket < LOWEST.size) {
        const isWhole = this.collect(turn.bucket, nowMs, due);
        if (!isWhole) break;
      } else {
        this.cascade(turn.bucket);
      }
    }
    this.turnedTo = Math.max(this.turnedTo, nowMs);
    return due;
  }

  /**
   * When to look again: the earliest due time, or null if nothing waits. It is never later than the
   * earliest timer; it may be earlier where that timer was cancelled.
   */
  nextDueAt(): number | null {
    let earliest = Number.POSITIVE_INFINITY;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const known = this.earliest[bucket] ?? Number.POSITIVE_INFINITY;
      if (known >= earliest) continue;
      // A time that has passed without firing belonged to a cancelled timer: look at what is left.
      earliest = Math.min(earliest, known <= this.turnedTo ? this.measure(bucket) : known);
    }
    return Number.isFinite(earliest) ? earliest : null;
  }

  private place(slot: number): void {
    const dueMs = Math.max(this.store.dueOf(slot), this.turnedTo);
    const bucket = this.bucketFor(dueMs);
    this.store.append(slot, bucket);
    this.earliest[bucket] = Math.min(this.earliest[bucket] ?? Number.POSITIVE_INFINITY, this.store.dueOf(slot));
  }

  private bucketFor(dueMs: number): number {
    for (const { tickMs, size, base } of UPWARDS) {
      const tick = Math.floor(dueMs / tickMs);
      if (tick - Math.floor(this.turnedTo / tickMs) < size) return base + (tick % size);
    }
    return OVERFLOW;
  }

  /** The next bucket to be opened and when; of several at one moment the highest, whose timers belong below. */
  private nextTurn(): { bucket: number; atMs: number } | null {
    let found: { bucket: number; atMs: number } | null = null;
    if (!this.store.isEmpty(OVERFLOW)) found = { bucket: OVERFLOW, atMs: this.overflowTurn() };
    for (const level of DOWNWARDS) {
      const turn = this.nextOfLevel(level);
      if (turn !== null && (found === null || turn.atMs < found.atMs)) found = turn;
    }
    return found;
  }

  private nextOfLevel({ tickMs, size, base }: Level): { bucket: number; atMs: number } | null {
    const current = Math.floor(this.turnedTo / tickMs);
    for (let ahead = 0; ahead < size; ahead++) {
      const bucket = base + ((current + ahead) % size);
      if (this.store.isEmpty(bucket)) continue;
      // Within the lowest level the bucket opens at its first timer, above it at its own start.
      const startMs = (current + ahead) * tickMs;
      return { bucket, atMs: tickMs === LOWEST.tickMs ? (this.earliest[bucket] ?? startMs) : startMs };
    }
    return null;
  }

  private overflowTurn(): number {
    const { tickMs, size } = HIGHEST;
    return (Math.floor((this.earliest[OVERFLOW] ?? 0) / tickMs) - size + 1) * tickMs;
  }

  /** Hands out a lowest bucket's due timers; false if some of it must still wait. */
  private collect(bucket: number, nowMs: number, due: DueTimer<T>[]): boolean {
    const slots: number[] = [];
    for (let slot = this.store.first(bucket); slot !== NONE; slot = this.store.after(slot)) {
      if (this.store.dueOf(slot) <= nowMs) slots.push(slot);
    }
    slots.sort((a, b) => this.store.compare(a, b));
    for (const slot of slots) {
      const dueMs = this.store.dueOf(slot);
      this.store.unlink(slot);
      due.push({ dueMs, item: this.store.release(slot) as T });
    }
    this.earliest[bucket] = Number.POSITIVE_INFINITY;
    return this.measure(bucket) === Number.POSITIVE_INFINITY;
  }

  /** Moves a higher bucket's timers to where they belong now that its time has come. */
  private cascade(bucket: number): void {
    const slots: number[] = [];
    for (let slot = this.store.first(bucket); slot !== NONE; slot = this.store.after(slot)) slots.push(slot);
    this.earliest[bucket] = Number.POSITIVE_INFINITY;
    // All leave before any is placed, since a far timer may belong into the overflow again.
    for (const slot of slots) this.store.unlink(slot);
    for (const slot of slots) this.place(slot);
  }

  /** Looks a bucket through for its earliest due time. */
  private measure(bucket: number): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (let slot = this.store.first(bucket); slot !== NONE; slot = this.store.after(slot))
      earliest = Math.min(earliest, this.store.dueOf(slot));
    this.earliest[bucket] = earliest;
    return earliest;
  }
}
