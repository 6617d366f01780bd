import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { AttemptReport } from "@/server/domain/run/work";
import type { Log } from "@/server/engine/context";

const MAX_BYTES = 16 * 1024 * 1024;
/** A larger report is kept without its inputs: that it failed is what must not be lost. */
const MAX_LINE = 256 * 1024;

/** Keeps each failure on this machine's disk before it is sent, so that a worker that dies in between tells it at its next start (EXC-3). */
export class ErrorBuffer {
  #path: string;
  #log: Log;
  #file: number;
  /** Failures are rare, and this is asked for after each commit. */
  #isEmpty = false;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, "a+", 0o600);
  }

  /** What an earlier process had not settled. A line that was cut off by its death is left out. */
  leftover(): AttemptReport[] {
    if (!existsSync(this.#path)) return [];
    return readFileSync(this.#path, "utf8")
      .split("\n")
      .flatMap((line) => {
        try {
          return line === "" ? [] : [revive(JSON.parse(line) as AttemptReport)];
        } catch {
          return [];
        }
      });
  }

  /** Synchronous on purpose: when this returns, the failure outlives the process. A full disk costs the net, not the report. */
  keep(report: AttemptReport): void {
    if (report.kind !== "failed" && report.kind !== "timedOut") return;
    this.#isEmpty = false;
    try {
      if (fstatSync(this.#file).size > MAX_BYTES) ftruncateSync(this.#file, 0);
      const line = JSON.stringify(report);
      writeSync(this.#file, `${line.length <= MAX_LINE ? line : JSON.stringify({ ...report, inputs: null })}\n`);
      fsyncSync(this.#file);
    } catch (error) {
      this.#log.warn({ error: String(error) }, "a failure could not be kept on this machine; it is sent all the same");
    }
  }

  /** Everything that it held is settled. */
  clear(): void {
    if (this.#isEmpty) return;
    try {
      if (fstatSync(this.#file).size > 0) ftruncateSync(this.#file, 0);
      this.#isEmpty = true;
    } catch (error) {
      this.#log.warn({ error: String(error) }, "the buffer of failures could not be emptied; they are sent again at the next start");
    }
  }

  close(): void {
    closeSync(this.#file);
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
