import { hostname } from "node:os";
import { ClockWatch } from "@/server/engine/clock-watch";
import type { Log } from "@/server/engine/context";
import { reportClockDrift } from "@/server/engine/workers/report-clock-drift";
import type { Ask } from "./ask";
import { DATABASE_LIMIT_MS, within } from "./within";

export interface WorkerClockOptions {
  readonly id: string;
  readonly log: Log;
  readonly ask: Ask;
  measure(): Promise<number>;
  onChange(isAstray: boolean): void;
}

/** Tells when the worker's clock goes astray. What runs may end: its limits go by a clock that cannot step (P22). */
export function workerClock({ id, log, ask, measure, onChange }: WorkerClockOptions): ClockWatch {
  return new ClockWatch({
    measure: () => within(DATABASE_LIMIT_MS, "clock", measure()),
    onChange: (offsetMs) => {
      onChange(offsetMs !== null);
      if (offsetMs === null) {
        log.info({}, "the machine's clock is right again; the worker takes nodes");
        return;
      }
      log.warn({ offsetMs }, "the machine's clock is off the database's; the worker takes no new node until it is set (NTP)");
      const told = ask("clock drift", (asking) => reportClockDrift(asking, { id, hostname: hostname(), offsetMs }));
      told.catch((error: unknown) => log.warn({ error: String(error) }, "the drift of the clock could not be reported"));
    },
  });
}
