import { type Client, connect, type Db, PLANNED_ONCE } from "@/db/client";
import { SCHEDULES_CHANNEL } from "@/db/statements/fires/notify-schedules";
import { LEADER_SESSIONS, SCHEDULER_SETTINGS } from "./lease-timing";

export interface LeaderPool {
  readonly db: Db;
  /** Calls back when schedules were changed by another process, and after the line was cut and is back. */
  onSchedulesChanged(changed: () => void): Promise<void>;
  /** At once: what is under way over it fails, as over a line that is dead it would for ever. */
  close(): Promise<void>;
}

/** The connections over which a leader works in one term, with the limits that let a successor in (see `SCHEDULER_SETTINGS`). */
export function openLeaderPool(url: string, connections = 4): LeaderPool {
  const settings = { ...SCHEDULER_SETTINGS, ...PLANNED_ONCE };
  const client: Client = connect({ url, max: connections, applicationName: LEADER_SESSIONS, settings });
  return {
    db: client.db,
    onSchedulesChanged: async (changed) => {
      await client.sql.listen(SCHEDULES_CHANNEL, changed, changed);
    },
    close: () => client.sql.end({ timeout: 0 }),
  };
}
