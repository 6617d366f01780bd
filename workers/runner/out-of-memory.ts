import { readFileSync } from "node:fs";

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** How often the kernel has ended a process for memory since boot; null where it does not say. */
export function memoryKills(): number | null {
  try {
    const found = /^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"));
    return found ? Number(found[1]) : null;
  } catch {
    return null;
  }
}

/**
 * Whether a process ended for want of memory: V8 says so itself; a SIGKILL was the kernel's when its count has moved,
 * and is taken for it where there is no count.
 */
export function ranOutOfMemory(ending: Ending, killsBefore: number | null): boolean {
  if (/heap out of memory|Reached heap limit|Allocation failed - JavaScript/.test(ending.stderr)) return true;
  if (ending.signal !== "SIGKILL" && ending.code !== 137) return false;
  const killsNow = memoryKills();
  return killsBefore === null || killsNow === null || killsNow > killsBefore;
}
