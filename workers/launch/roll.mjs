import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSameProcess, startMark } from "./process-mark.mjs";
import { Refusal } from "./refusal.mjs";

/**
 * The roll of what runs on a data folder, `processes.json`: the supervisor and its children with their pids. It keeps a
 * second supervisor out, and lets the next start clear away what a killed one left.
 */
export class Roll {
  #path;
  #patienceMs;
  #rows = {};

  constructor(dataDir, { patienceMs = 8_000 } = {}) {
    this.#path = join(dataDir, "processes.json");
    this.#patienceMs = patienceMs;
  }

  /** Enters this process; waits a little for a supervisor that is on its way out. */
  async enter(bootId) {
    const former = this.#read();
    const endMs = performance.now() + this.#patienceMs;
    while (former.supervisor && isSameProcess(former.supervisor)) {
      if (performance.now() > endMs) {
        throw new Refusal(
          `Apollo-11 already runs on this data folder (process ${former.supervisor.pid}). Stop it first, or set APOLLO_DATA_DIR and PORT for a second one.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const leftovers = Object.entries(this.#read()).filter(([name, row]) => name !== "supervisor" && isSameProcess(row));
    for (const [, row] of leftovers) killNow(row.pid);
    this.#rows.supervisor = { pid: process.pid, mark: startMark(process.pid), bootId };
    this.#write();
    return { afterCrash: former.supervisor !== undefined };
  }

  set(name, pid, more = {}) {
    this.#rows[name] = { pid, mark: startMark(pid), ...more };
    this.#tryWrite();
  }

  remove(name) {
    delete this.#rows[name];
    this.#tryWrite();
  }

  leave() {
    rmSync(this.#path, { force: true });
  }

  #read() {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8"));
    } catch {
      return {};
    }
  }

  /** On a full disk the roll is stale for a while, which is better than a supervisor that ends. */
  #tryWrite() {
    try {
      this.#write();
    } catch {
      // The next change writes all of it.
    }
  }

  #write() {
    const draft = `${this.#path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(this.#rows, null, 2)}\n`);
    renameSync(draft, this.#path);
  }
}

function killNow(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has gone by itself.
  }
}
