import { sql } from "drizzle-orm";
import type { Executor } from "../../client";

/** The leader listens here; it polls each second as well, so a lost word costs a second at most. */
export const SCHEDULES_CHANNEL = "apollo_schedules";

/** Tells the leader at the commit that a pipeline's schedules changed. */
export async function notifySchedules(db: Executor, pipelineId: string): Promise<void> {
  await db.execute(sql`select pg_notify(${SCHEDULES_CHANNEL}, ${pipelineId})`);
}
