import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A shell that outlives us: when our end of its pipe closes, however we ended, it kills what it was told of and removes
 * the folder. A pid counts only while its process still names the folder, in its arguments or its environment.
 */
const SCRIPT = `
folder=$1; pids=
while read -r pid; do pids="$pids $pid"; done
for pid in $pids; do
  if cat "/proc/$pid/cmdline" "/proc/$pid/environ" 2>/dev/null | tr '\\0' '\\n' | grep -qF "$folder"; then
    kill -KILL "$pid" 2>/dev/null
  fi
done
sleep 0.3
while grep -qF " $folder/disk " /proc/mounts; do umount -l "$folder/disk" || break; done
rm -rf "$folder"
`;

/** The scratch folder of one rig and the end of everything that it started. */
export class Warden {
  readonly folder: string;
  readonly #shell: ChildProcess;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "apollo-chaos-"));
    // The database runs as a user of its own, and passes through.
    chmodSync(this.folder, 0o711);
    this.#shell = spawn("/bin/sh", ["-c", SCRIPT, "warden", this.folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
    this.#shell.unref();
  }

  /** From now on this process ends with us. */
  guard(pid: number): void {
    this.#shell.stdin?.write(`${pid}\n`);
  }

  /** Kills all that is left, and waits until the folder is gone. */
  async end(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#shell.once("exit", () => resolve()));
    this.#shell.ref();
    this.#shell.stdin?.end();
    await gone;
  }
}
