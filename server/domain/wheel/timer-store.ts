/** No timer: the end of a list, or an empty one. */
export const NONE = -1;

const FIRST_CAPACITY = 1_024;
const GROWTH = 1.5;
/** A handle is generation × 2^24 + slot, a safe integer that names one timer only. */
const SLOT_RANGE = 2 ** 24;
const GENERATION_MASK = 2 ** 29 - 1;

/**
 * Timers as columns of numbers instead of objects: about 40 bytes each beside the item, no garbage.
 * Lists are threaded through `next` and `previous`; the store knows nothing of buckets' meaning.
 */
export class TimerStore<T> {
  private dueMs = new Float64Array(FIRST_CAPACITY);
  private order = new Float64Array(FIRST_CAPACITY);
  private next = new Int32Array(FIRST_CAPACITY);
  private previous = new Int32Array(FIRST_CAPACITY);
  private bucket = new Int16Array(FIRST_CAPACITY);
  private generation = new Uint32Array(FIRST_CAPACITY);
  private readonly items: (T | undefined)[] = [];
  private readonly heads: Int32Array;
  private readonly tails: Int32Array;
  private free = NONE;
  private used = 0;
  private inserted = 0;
  private live = 0;

  constructor(buckets: number) {
    this.heads = new Int32Array(buckets).fill(NONE);
    this.tails = new Int32Array(buckets).fill(NONE);
  }

  get size(): number {
    return this.live;
  }

  /** Takes a slot for a timer; it belongs to no list yet. */
  take(dueMs: number, item: T): number {
    const slot = this.free === NONE ? this.freshSlot() : this.free;
    if (slot === this.free) this.free = this.next[slot] ?? NONE;
    this.dueMs[slot] = dueMs;
    this.order[slot] = this.inserted++;
    this.items[slot] = item;
    this.bucket[slot] = NONE;
    this.live++;
    return slot;
  }

  /** Gives a slot back; the timer must have left its list. */
  release(slot: number): T | undefined {
    const item = this.items[slot];
    this.items[slot] = undefined;
    this.generation[slot] = ((this.generation[slot] ?? 0) + 1) & GENERATION_MASK;
    this.next[slot] = this.free;
    this.free = slot;
    this.live--;
    return item;
  }

  handleOf(slot: number): number {
    return (this.generation[slot] ?? 0) * SLOT_RANGE + slot;
  }

  /** The slot of a timer that still waits; null if it has fired or was cancelled. */
  slotOf(handle: number): number | null {
    const slot = handle % SLOT_RANGE;
    if (slot >= this.used) return null;
    return this.generation[slot] === Math.floor(handle / SLOT_RANGE) ? slot : null;
  }

  append(slot: number, bucket: number): void {
    const tail = this.tails[bucket] ?? NONE;
    this.bucket[slot] = bucket;
    this.previous[slot] = tail;
    this.next[slot] = NONE;
    if (tail === NONE) this.heads[bucket] = slot;
    else this.next[tail] = slot;
    this.tails[bucket] = slot;
  }

  /** Takes a timer out of its list and says which one it was. */
  unlink(slot: number): number {
    const bucket = this.bucket[slot] ?? NONE;
    const before = this.previous[slot] ?? NONE;
    const after = this.next[slot] ?? NONE;
    if (before === NONE) this.heads[bucket] = after;
    else this.next[before] = after;
    if (after === NONE) this.tails[bucket] = before;
    else this.previous[after] = before;
    this.bucket[slot] = NONE;
    return bucket;
  }

  isEmpty(bucket: number): boolean {
    return (this.heads[bucket] ?? NONE) === NONE;
  }

  first(bucket: number): number {
    return this.heads[bucket] ?? NONE;
  }

  after(slot: number): number {
    return this.next[slot] ?? NONE;
  }

  dueOf(slot: number): number {
    return this.dueMs[slot] ?? 0;
  }

  /** Earlier due first; among equals the one that was inserted first. */
  compare(a: number, b: number): number {
    return this.dueOf(a) - this.dueOf(b) || (this.order[a] ?? 0) - (this.order[b] ?? 0);
  }

  private freshSlot(): number {
    if (this.used >= SLOT_RANGE) throw new RangeError(`the wheel is full: it holds at most ${SLOT_RANGE} timers`);
    if (this.used === this.dueMs.length) this.grow();
    return this.used++;
  }

  private grow(): void {
    const capacity = Math.ceil(this.dueMs.length * GROWTH);
    const widen = <A extends Float64Array | Int32Array | Int16Array | Uint32Array>(wider: A, old: A): A => {
      wider.set(old);
      return wider;
    };
    this.dueMs = widen(new Float64Array(capacity), this.dueMs);
    this.order = widen(new Float64Array(capacity), this.order);
    this.next = widen(new Int32Array(capacity), this.next);
    this.previous = widen(new Int32Array(capacity), this.previous);
    this.bucket = widen(new Int16Array(capacity), this.bucket);
    this.generation = widen(new Uint32Array(capacity), this.generation);
  }
}
