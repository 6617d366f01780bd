import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";

/** Whoever decides on the alerts of a project takes turns: what one of them has read holds until it has written. */
export const lockAlerts = (tx: Tx, projectId: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('alerts/' || ${projectId}::text, 0))`);
