export interface LeaseTiming {
  /** How long a renewal lasts on the database's clock. */
  readonly ttlMs: number;
  readonly renewEveryMs: number;
  /** How often a standby tries, and a leader whose renewal failed. */
  readonly tryEveryMs: number;
  /** The leader stops issuing work this long before its lease could run out. */
  readonly marginMs: number;
  /** A call to the database that takes longer counts as failed and its connection is thrown away. */
  readonly answerWithinMs: number;
}

export const LEASE_TIMING: LeaseTiming = { ttlMs: 6_000, renewEveryMs: 2_000, tryEveryMs: 500, marginMs: 1_000, answerWithinMs: 1_500 };

/** Under this name the database knows the sessions in which a leader works. */
export const LEADER_SESSIONS = "apollo11-leader";

/** The one lease that schedulers compete for. */
export const SCHEDULER_LEASE = "scheduler";

/**
 * Session settings of a scheduler's pool, in milliseconds. Without the last one a leader that is frozen inside a fenced
 * transaction would hold up its successor for ever.
 */
export const SCHEDULER_SETTINGS = { lock_timeout: 1_000, statement_timeout: 5_000, idle_in_transaction_session_timeout: 2_000 } as const;
