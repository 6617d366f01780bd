import { type SQL, sql } from "drizzle-orm";

/** No run is older that still has something happen to it, as the engine's readers take it. */
const OLDEST_RUN_DAYS = 35;

/**
 * Of a partitioned table only the months that may hold what happened in the last days: whole months of runs that were made
 * earlier are left out. By `now()`: a clock that moves within the statement prunes none.
 */
export const recentRunsOnly = (column: SQL, days = 0): SQL =>
  sql`${column} >= uuid7_floor(date_trunc('day', now()) - make_interval(days => ${OLDEST_RUN_DAYS + days}))`;
