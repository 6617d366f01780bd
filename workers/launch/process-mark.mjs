import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** When a process was started, in the system's own words; with the pid it names one process for good. */
export function startMark(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return process.platform === "linux" ? undefined : startOf(pid);
  }
}

function startOf(pid) {
  try {
    return (
      execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() ||
      undefined
    );
  } catch {
    return undefined;
  }
}

export function isSameProcess({ pid, mark }) {
  return Number.isInteger(pid) && mark !== undefined && startMark(pid) === mark;
}
