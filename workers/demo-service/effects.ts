export interface Effect {
  readonly key: string;
  /** How often it took effect: once, whatever the number of calls, since this receiver honours the key. */
  readonly effects: number;
  readonly calls: number;
  readonly what: unknown;
}

const MAX_KEYS = 20_000;

/** Counts what a receiver that honours idempotency keys would do, and what one that does not would have done. */
export class Effects {
  #byKey = new Map<string, { effects: number; calls: number; what: unknown }>();
  #keyless = 0;

  /** The first call of a key takes effect, the others are told that it has. */
  record(key: string | undefined, what: unknown): { readonly repeated: boolean } {
    if (key === undefined) {
      this.#keyless++;
      return { repeated: false };
    }
    const known = this.#byKey.get(key);
    if (known) {
      known.calls++;
      return { repeated: true };
    }
    this.#byKey.set(key, { effects: 1, calls: 1, what });
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > MAX_KEYS && oldest !== undefined) this.#byKey.delete(oldest);
    return { repeated: false };
  }

  list(): { readonly keyless: number; readonly effects: readonly Effect[] } {
    return { keyless: this.#keyless, effects: [...this.#byKey].map(([key, counted]) => ({ key, ...counted })) };
  }

  find(key: string): Effect {
    return { key, ...(this.#byKey.get(key) ?? { effects: 0, calls: 0, what: null }) };
  }

  clear(): void {
    this.#byKey.clear();
    this.#keyless = 0;
  }
}
