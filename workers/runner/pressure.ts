import { readFile, statfs } from "node:fs/promises";
import { freemem, loadavg, totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Refusal } from "@/server/domain/run/refusal";

export interface Reading {
  /** Shares of 1; null where the machine does not say. */
  readonly diskUsed: number | null;
  readonly memoryUsed: number | null;
}

/** Above the first share a worker takes no new node, below the second it takes them again (WRK-3). */
export const WATERMARKS = { disk: { refuse: 0.8, resume: 0.78 }, memory: { refuse: 0.92, resume: 0.88 } } as const;

/** What a reading means after what was said before: the gap keeps a worker at the mark from flapping. */
export function judgePressure(reading: Reading, before: Refusal | null): "disk" | "memory" | null {
  for (const kind of ["disk", "memory"] as const) {
    const used = kind === "disk" ? reading.diskUsed : reading.memoryUsed;
    const mark = before === kind ? WATERMARKS[kind].resume : WATERMARKS[kind].refuse;
    if (used !== null && used > mark) return kind;
  }
  return null;
}

/** Disk as `df` counts it: what the superuser keeps for itself is neither used nor free. */
export async function readPressure(folder: string): Promise<Reading> {
  const disk = await statfs(folder).catch(() => null);
  const used = disk ? disk.blocks - disk.bfree : 0;
  const available = await availableMemory();
  return {
    diskUsed: disk && used + disk.bavail > 0 ? used / (used + disk.bavail) : null,
    memoryUsed: available === null ? null : 1 - available / totalmem(),
  };
}

/** `freemem` leaves out what the kernel would give back at once. */
async function availableMemory(): Promise<number | null> {
  const text = await readFile("/proc/meminfo", "utf8").catch(() => "");
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(text);
  return found ? Number(found[1]) * 1024 : null;
}

/** What a heartbeat tells of the machine and the process. */
export class Vitals {
  #delay = monitorEventLoopDelay({ resolution: 20 });
  #sockets: { inUse: number; timeWait: number } | null = null;

  constructor() {
    this.#delay.enable();
  }

  async refresh(): Promise<void> {
    const text = await readFile("/proc/net/sockstat", "utf8").catch(() => "");
    const found = /^TCP: inuse (\d+) orphan \d+ tw (\d+)/m.exec(text);
    this.#sockets = found ? { inUse: Number(found[1]), timeWait: Number(found[2]) } : null;
  }

  report(reading: Reading): Record<string, unknown> {
    const lagMs = Math.round(this.#delay.max / 1e5) / 10;
    this.#delay.reset();
    return {
      load: loadavg()[0],
      rssBytes: process.memoryUsage.rss(),
      freeMemoryBytes: freemem(),
      diskUsed: reading.diskUsed,
      memoryUsed: reading.memoryUsed,
      loopLagMs: Number.isFinite(lagMs) ? lagMs : 0,
      connections: this.#sockets?.inUse ?? null,
      timeWait: this.#sockets?.timeWait ?? null,
    };
  }

  stop(): void {
    this.#delay.disable();
  }
}
