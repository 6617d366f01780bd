import { sql } from "drizzle-orm";
import type { Executor } from "../../client";
import { prepared } from "../prepared";
import { LIMITS } from "./limits";

export interface DrainedLimit {
  readonly key: string;
  /** As it is set. */
  readonly slots: number;
}

/**
 * Limits that were lowered below what ran, of which less runs by now than they allow: their free slots are to come back.
 * Mostly no slot is retired, and the rest is not even begun. It reads the slots whole, of which there are few.
 */
export const drainedLimits = async (db: Executor): Promise<DrainedLimit[]> => read(db, {});

const read = prepared<DrainedLimit, Record<string, never>>(
  () => sql`
    select s.key, l.slots from (
      select key, count(run_id) as taken from slots where key in (select key from slots where retired) group by key
    ) s
    join ${LIMITS} l on l.key = s.key
    where s.taken < l.slots order by s.key
  `,
);
