import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { Warden } from "./warden";

/** A small volume of its own, that can be filled: a tmpfs, which only root can mount. */
export class Disk {
  readonly folder: string;

  constructor(warden: Warden) {
    this.folder = join(warden.folder, "disk");
  }

  mount(megabytes: number): void {
    mkdirSync(this.folder, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", this.folder]);
  }

  /** To the last byte. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    try {
      const blocks = String(Math.ceil((bavail * bsize) / 65_536) + 1);
      execFileSync("dd", ["if=/dev/zero", `of=${this.#filler}`, "bs=64k", `count=${blocks}`], { stdio: "ignore" });
    } catch {
      // It ends when nothing more fits.
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    execFileSync("umount", ["-l", this.folder]);
  }

  get #filler(): string {
    return join(this.folder, "filler");
  }
}

export const whyNoDisk = (): string | null => (process.getuid?.() === 0 ? null : "only root can mount a small volume");
