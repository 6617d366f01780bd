import type { Clock } from "@/server/engine/context";

/** A clock that follows the database's, so that a host whose own clock is wrong or jumps fires nothing early or twice. */
export interface DatabaseClock extends Clock {
  /** The database has just said that it is this late. */
  observe(databaseMs: number): void;
}

const SAMPLES = 8;
/** A sample this far below the others is a database clock that was set back, and no slow answer. */
const SET_BACK_MS = 500;

/**
 * Monotonic time plus the offset that the database's answers show. An answer is never younger than it says, so the
 * greatest of the last offsets is the nearest, and the clock is behind the database's by one quick round trip at most.
 */
export function createDatabaseClock(host: Clock): DatabaseClock {
  let offsets: number[] = [];
  return {
    monotonicMs: () => host.monotonicMs(),
    now: () => (offsets.length === 0 ? host.now() : new Date(Math.floor(host.monotonicMs() + Math.max(...offsets)))),
    observe: (databaseMs) => {
      const offset = databaseMs - host.monotonicMs();
      if (offset < Math.max(...offsets) - SET_BACK_MS) offsets = [];
      offsets = [...offsets, offset].slice(-SAMPLES);
    },
  };
}
