import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { AttemptReport } from "@/server/domain/run/work";
import type { Log } from "@/server/engine/context";

/** Of each of the two files: the one that is written, and the one before it. */
const MAX_BYTES = 8 * 1024 * 1024;
/** A larger report is kept without its inputs: that it failed is what must not be lost. */
const MAX_LINE = 256 * 1024;

/**
 * Keeps each failure on this machine's disk before it is sent, so that a worker that dies in between tells it at its next
 * start (EXC-3). Bounded: when a file is full it is set aside, and the one that was set aside before it goes, which is said.
 */
export class ErrorBuffer {
  #path: string;
  #log: Log;
  #file: number;
  #maxBytes: number;

  constructor(path: string, log: Log, maxBytes = MAX_BYTES) {
    this.#path = path;
    this.#log = log;
    this.#maxBytes = maxBytes;
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, "a+", 0o600);
  }

  /** What an earlier process had not settled. A line that was cut off by its death is left out. */
  leftover(): AttemptReport[] {
    return [this.#aside, this.#path].flatMap((path) => (existsSync(path) ? readFileSync(path, "utf8").split("\n").flatMap(reportIn) : []));
  }

  /** Synchronous on purpose: when this returns, the failure outlives the process. A full disk costs the net, not the report. */
  keep(report: AttemptReport): void {
    if (report.kind !== "failed" && report.kind !== "timedOut") return;
    try {
      if (fstatSync(this.#file).size > this.#maxBytes) this.#rotate();
      const line = JSON.stringify(report);
      writeSync(this.#file, `${line.length <= MAX_LINE ? line : JSON.stringify({ ...report, inputs: null })}\n`);
      fsyncSync(this.#file);
    } catch (error) {
      this.#log.warn({ error: String(error) }, "a failure could not be kept on this machine; it is sent all the same");
    }
  }

  /** Everything that it held is settled. */
  clear(): void {
    try {
      if (fstatSync(this.#file).size > 0) ftruncateSync(this.#file, 0);
      rmSync(this.#aside, { force: true });
    } catch (error) {
      this.#log.warn({ error: String(error) }, "the buffer of failures could not be emptied; they are sent again at the next start");
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  get #aside(): string {
    return `${this.#path}.1`;
  }

  #rotate(): void {
    if (existsSync(this.#aside)) {
      this.#log.warn({}, "the buffer of failures is full: the oldest go from it, and are lost if this process dies before they are sent");
    }
    renameSync(this.#path, this.#aside);
    const full = this.#file;
    this.#file = openSync(this.#path, "a+", 0o600);
    closeSync(full);
  }
}

function reportIn(line: string): AttemptReport[] {
  try {
    return line === "" ? [] : [revive(JSON.parse(line) as AttemptReport)];
  } catch {
    return [];
  }
}

function revive(report: AttemptReport): AttemptReport {
  const { pickedUpAt, executingAt } = report.times;
  return {
    ...report,
    ...(report.stayedSince ? { stayedSince: new Date(report.stayedSince) } : {}),
    times: { pickedUpAt: new Date(pickedUpAt), executingAt: executingAt ? new Date(executingAt) : null },
  };
}
