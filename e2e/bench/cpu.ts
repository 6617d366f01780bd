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

export interface Watched {
  readonly name: string;
  readonly pids: readonly number[];
  /** What its children use is told under this name; else with it. */
  readonly children?: string;
}

/** What named processes use from now on, until the call of what it gives. */
export function watchCpu(watched: readonly Watched[]): () => Cpu {
  const before = readCpu(watched);
  const own = process.cpuUsage();
  return () => {
    const used = process.cpuUsage(own);
    const parts = Object.entries(readCpu(watched)).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)] as const);
    return Object.fromEntries([...parts, ["submitter", (used.user + used.system) / 1e6] as const]);
  };
}

function readCpu(watched: readonly Watched[]): Record<string, number> {
  const told: Record<string, number> = {};
  for (const { name, pids, children } of watched) {
    for (const pid of pids) {
      const tree = cpuOfTree(pid);
      const own = children === undefined ? tree : ownCpu(pid);
      told[name] = (told[name] ?? 0) + own;
      if (children !== undefined) told[children] = (told[children] ?? 0) + tree - own;
    }
  }
  return told;
}

export const loadNow = (): number => Math.round((loadavg()[0] ?? 0) * 100) / 100;
