import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

const LIMIT_BYTES = 20_000_000;

/** The log file of all processes, one line each with time and name; the end of each is kept for an error's message. */
export class Journal {
  #path;
  #bytes;
  #tails = new Map();
  #echo;

  constructor(dataDir, echo) {
    mkdirSync(join(dataDir, "logs"), { recursive: true });
    this.#path = join(dataDir, "logs", "apollo.log");
    this.#bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    this.#echo = echo;
  }

  get path() {
    return this.#path;
  }

  line(name, text) {
    this.#write(`${new Date().toISOString()} ${name.padEnd(9)} | ${text}\n`);
    this.#tails.set(name, [...(this.#tails.get(name) ?? []), text].slice(-12));
    this.#echo?.(name, text);
  }

  /** A full disk must not end the supervisor, which is what keeps the rest alive. */
  #write(row) {
    try {
      if (this.#bytes > LIMIT_BYTES) {
        renameSync(this.#path, `${this.#path}.1`);
        this.#bytes = 0;
      }
      appendFileSync(this.#path, row, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(row);
    } catch {
      // The line is lost, and the end of the log that we hold in memory still has it.
    }
  }

  /** Splits a stream into lines; what stands without a line end at the close is a line too. */
  follow(name, stream) {
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (part) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) this.line(name, text);
    });
    stream.on("close", () => {
      if (rest) this.line(name, rest);
    });
  }

  tail(name) {
    return (this.#tails.get(name) ?? []).join("\n");
  }
}
