import { type TimerHandle, TimingWheel } from "@/server/domain/wheel/timing-wheel";
import type { Clock } from "@/server/engine/context";
import type { UpcomingTimers } from "@/server/engine/schedules/upcoming-timers";

/** What a timer of the wheel wakes. */
export const WAKE_KINDS = ["fire", "retry", "wait", "timeout", "deadline"] as const;
export type WakeKind = (typeof WAKE_KINDS)[number];

type Item = { readonly kind: "fire"; readonly scheduleId: string; readonly version: number } | { readonly kind: Exclude<WakeKind, "fire"> };

interface Armed {
  readonly handle: TimerHandle;
  readonly version: number;
  readonly atMs: number;
}

export interface WheelReport {
  readonly timers: number;
  /** The worst lateness since the last report. */
  readonly wheelLagMs: number;
  /** Timers of a schedule's older version that came up and woke nobody. */
  readonly stale: number;
}

/**
 * The leader's wheel: an armed timer at the exact millisecond of what is due next, and for what is due one word to who
 * does it. It holds nothing that Postgres does not, and it never waits: turning it is bookkeeping alone (SCH-6).
 */
export class Wheel {
  private readonly wheel: TimingWheel<Item>;
  private readonly schedules = new Map<string, Armed>();
  private readonly moments = new Map<string, TimerHandle>();
  private timer: NodeJS.Timeout | undefined;
  private armedFor = Number.POSITIVE_INFINITY;
  private worstLagMs = 0;
  private stale = 0;
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly wake: (kind: WakeKind) => void,
  ) {
    this.wheel = new TimingWheel(clock.now().getTime());
  }

  /** The next fire of a schedule, as its row says now; an older timer of the same schedule is taken out (B19). */
  setSchedule(id: string, version: number, atMs: number | null): void {
    const armed = this.schedules.get(id);
    if (armed && armed.version > version) return;
    if (armed?.version === version && armed.atMs === atMs) return;
    if (armed) this.wheel.cancel(armed.handle);
    this.schedules.delete(id);
    if (atMs === null) return;
    const handle = this.wheel.insert(atMs, { kind: "fire", scheduleId: id, version });
    this.schedules.set(id, { handle, version, atMs });
    this.arm();
  }

  /** Takes in what Postgres holds up to a horizon. A `whole` picture also drops the schedules that are not in it. */
  take(upcoming: UpcomingTimers, whole: boolean): void {
    if (whole) {
      const known = new Set(upcoming.schedules.map((schedule) => schedule.id));
      for (const [id, { handle }] of this.schedules) {
        if (known.has(id)) continue;
        this.wheel.cancel(handle);
        this.schedules.delete(id);
      }
    }
    for (const { id, version, atMs } of upcoming.schedules) this.setSchedule(id, version, atMs);
    for (const { kind, atMs } of upcoming.due) {
      const key = `${kind}@${atMs}`;
      if (!this.moments.has(key)) this.moments.set(key, this.wheel.insert(atMs, { kind }));
    }
    this.arm();
  }

  /** What to say of it; the worst lateness starts anew. */
  report(): WheelReport {
    const report = { timers: this.wheel.size, wheelLagMs: this.worstLagMs, stale: this.stale };
    this.worstLagMs = 0;
    return report;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private readonly turn = (): void => {
    this.armedFor = Number.POSITIVE_INFINITY;
    if (this.stopped) return;
    const nowMs = this.clock.now().getTime();
    const kinds = new Set<WakeKind>();
    for (const { dueMs, item } of this.wheel.advance(nowMs)) {
      this.worstLagMs = Math.max(this.worstLagMs, nowMs - dueMs);
      if (item.kind !== "fire") this.moments.delete(`${item.kind}@${dueMs}`);
      else if (!this.isCurrent(item.scheduleId, item.version, dueMs)) {
        this.stale++;
        continue;
      }
      kinds.add(item.kind);
    }
    for (const kind of kinds) this.wake(kind);
    this.arm();
  };

  private isCurrent(id: string, version: number, dueMs: number): boolean {
    const armed = this.schedules.get(id);
    if (armed?.version !== version || armed.atMs !== dueMs) return false;
    this.schedules.delete(id);
    return true;
  }

  private arm(): void {
    const next = this.wheel.nextDueAt();
    if (this.stopped || next === null || next >= this.armedFor) return;
    clearTimeout(this.timer);
    this.armedFor = next;
    this.timer = setTimeout(this.turn, Math.max(0, next - this.clock.now().getTime()));
  }
}
