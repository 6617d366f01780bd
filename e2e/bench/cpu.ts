import { readFileSync } from "node:fs";
import { loadavg } from "node:os";

/** Of the kernel's accounts; the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of a process and all under it, those that have ended included. */
export function cpuOfTree(pid: number): number {
  return ownCpu(pid) + childrenOf(pid).reduce((sum, child) => sum + cpuOfTree(child), 0);
}

function ownCpu(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // utime, stime, and those of children that were waited for.
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** CPU seconds by the name of what used them. */
export type Cpu = Readonly<Record<string, number>>;

/** What each named process uses from now on, until `stop`. */
export function watchCpu(pids: Readonly<Record<string, number | undefined>>): () => Cpu {
  const entries = Object.entries(pids).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid] as const]));
  const before = entries.map(([, pid]) => cpuOfTree(pid));
  const own = process.cpuUsage();
  return () => {
    const used = process.cpuUsage(own);
    const parts = entries.map(([name, pid], index) => [name, cpuOfTree(pid) - (before[index] ?? 0)] as const);
    return Object.fromEntries([...parts, ["submitter", (used.user + used.system) / 1e6] as const]);
  };
}

export const loadNow = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100;
