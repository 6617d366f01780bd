import { readdir, readFile } from "node:fs/promises";

/** Stands in the environment of everything that an attempt starts, so that it is found even when it left its group. */
export const MARK = "APOLLO_MARK";

export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}

/** Processes whose environment carries a mark, wherever they moved to: a daemon leaves its group and keeps this. Linux only. */
async function markedProcesses(isMeant: (mark: string) => boolean): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) return null;
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      const mark = environment.split("\0").find((variable) => variable.startsWith(`${MARK}=`));
      return mark !== undefined && isMeant(mark.slice(MARK.length + 1)) ? pid : null;
    }),
  );
  return found.filter((pid) => pid !== null);
}

/** Ends what an attempt left behind; gives how many there were. */
export async function killMarked(isMeant: (mark: string) => boolean): Promise<number> {
  const pids = await markedProcesses(isMeant);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has gone by itself.
    }
  }
  return pids.length;
}
