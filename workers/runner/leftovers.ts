import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { killMarked, MARK } from "./process-tree";

/** The name under which everything that a worker starts can be found: of this worker on this data folder, and of this start of it. */
export function markOf(dataDir: string, workerId: string, start: string): { readonly worker: string; readonly start: string } {
  const worker = createHash("sha256").update(`${dataDir}\0${workerId}`).digest("hex").slice(0, 12);
  return { worker, start: `${worker}.${start}` };
}

/** Ends what an earlier start of this worker left running: its node may be running elsewhere by now. */
export async function endLeftovers(mark: { readonly worker: string; readonly start: string }): Promise<number> {
  return killMarked((found) => found.startsWith(`${mark.worker}.`) && !found.startsWith(`${mark.start}.`) && found !== mark.start);
}

/** Waits for the end of its input, which is the end of the worker however it comes, and then ends what carries the mark. */
const WATCH = `read -r _
for round in 1 2 3; do
  for file in $(grep -lzs "^${MARK}=$0" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" 2>/dev/null
  done
  sleep 0.2
done`;

/**
 * A shell that outlives a worker that is killed outright, and ends the commands that it had started: they run in groups of
 * their own, and nobody else would. Where there is no /proc the next start's look is all there is.
 */
export function watchOver(mark: { readonly start: string }): { stop(): void } {
  const shell: ChildProcess = spawn("sh", ["-c", WATCH, mark.start], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: "/usr/bin:/bin" } as unknown as NodeJS.ProcessEnv,
  });
  shell.on("error", () => undefined);
  shell.stdin?.on("error", () => undefined);
  shell.unref();
  return { stop: () => void shell.kill("SIGKILL") };
}
