import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** What postmaster.pid says of a server that is there. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Line 8: `starting`, `ready`, `stopping`. */
  readonly status: string;
}

/** The live server of a data directory; a pid that another program took over since does not count. */
export function findPostmaster(data: string): Postmaster | undefined {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid) || !isPostgres(pid)) return undefined;
  return { pid, port: Number(lines[3]) || 0, status: lines[7]?.trim() ?? "" };
}

/** PostgreSQL trusts a stale file when its pid lives again as something else; only call this when nobody is there. */
export function removeStalePid(data: string): void {
  rmSync(join(data, "postmaster.pid"), { force: true });
}

/** A dead process that nobody has reaped is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const state = processFile(pid, "stat");
  return state === undefined || state.slice(state.lastIndexOf(")") + 2)[0] !== "Z";
}

function isPostgres(pid: number): boolean {
  const name = processFile(pid, "comm");
  if (name !== undefined) return name.trim() === "postgres";
  try {
    const command = execFileSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" });
    return basename(command.trim()) === "postgres";
  } catch {
    return false;
  }
}

function processFile(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

/** Asks the server to stop: `fast` ends sessions and writes a checkpoint, `immediate` leaves recovery to the next start. */
export function signalStop(pid: number, how: "fast" | "immediate"): void {
  try {
    process.kill(pid, how === "fast" ? "SIGINT" : "SIGQUIT");
  } catch {
    // It has gone by itself.
  }
}
