import { isRefusal, type Refusal } from "@/server/domain/run/refusal";
import type { Platform } from "../views";

/** Beyond these the platform itself is late, whatever the pipelines do. */
export const LIMITS = { wheelLagMs: 1_000, overdueMs: 15_000, queueMs: 60_000 } as const;

export interface GroupLine {
  readonly name: string;
  readonly live: number;
  readonly known: number;
  readonly refusing: number;
  /** Why they refuse, each reason once. */
  readonly reasons: readonly (Refusal | "other")[];
  /** What keeps one of them from its work though it lives. */
  readonly trouble: string | null;
  readonly queued: number;
  readonly oldestMs: number;
  readonly well: boolean;
}

export interface PlatformVerdict {
  readonly database: boolean;
  readonly leader: boolean;
  readonly wheel: boolean;
  readonly overdue: boolean;
  /** Told, and counted with the group in which it waits. */
  readonly ready: boolean;
  readonly duties: boolean;
  readonly read: boolean;
  readonly groups: readonly GroupLine[];
  /** How many of all these are not well. */
  readonly troubles: number;
}

/** A group is in trouble where work waits that nobody takes, or where nobody is left to take any. */
function groupLines({ workers, queue }: Platform): GroupLine[] {
  const names = new Set([...workers.flatMap(({ groups }) => groups), ...queue.map(({ group }) => group)]);
  return [...names].sort().map((name) => {
    const own = workers.filter(({ groups }) => groups.includes(name));
    const alive = own.filter((worker) => worker.alive);
    const refused = alive.flatMap(({ refusing }) => (refusing === null ? [] : [isRefusal(refusing) ? refusing : ("other" as const)]));
    const refusing = refused.length;
    const trouble = alive.find((worker) => worker.trouble !== null)?.trouble ?? null;
    const waiting = queue.find(({ group }) => group === name);
    const { queued, oldestMs } = waiting ?? { queued: 0, oldestMs: 0 };
    const well = alive.length > refusing && oldestMs <= LIMITS.queueMs && trouble === null;
    return { name, live: alive.length, known: own.length, refusing, reasons: [...new Set(refused)], trouble, queued, oldestMs, well };
  });
}

export function judgePlatform(platform: Platform): PlatformVerdict {
  const groups = groupLines(platform);
  const database = platform.database === "ok";
  const leader = platform.leader !== null || platform.unread.includes("leader");
  const wheel = (platform.leader?.wheelLagMs ?? 0) <= LIMITS.wheelLagMs;
  const overdue = platform.oldestOverdueMs <= LIMITS.overdueMs;
  const ready = platform.oldestReadyMs <= LIMITS.queueMs;
  const duties = (platform.leader?.failing.length ?? 0) === 0;
  const read = !database || platform.unread.length === 0;
  const noWorker = groups.length === 0 && !platform.unread.includes("workers");
  const troubles = [database, leader, wheel, overdue, duties, read, !noWorker, ...groups.map(({ well }) => well)].filter(
    (well) => !well,
  ).length;
  return { database, leader, wheel, overdue, ready, duties, read, groups, troubles };
}
