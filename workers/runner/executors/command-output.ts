import { readFile, stat } from "node:fs/promises";
import { parseJson } from "@/server/domain/pipeline/parse-json";
import { MAX_OUTPUT_BYTES } from "@/server/domain/run/work";
import { type AcceptedOutput, acceptJson, outputTooLarge } from "../output";

/** Keeps the last line of a stream that holds anything, without keeping the stream. */
export class LastLine {
  #line = "";
  #bytes = 0;
  #last: { text: string; bytes: number } = { text: "", bytes: 0 };

  push(text: string): void {
    const parts = text.split("\n");
    for (const [index, part] of parts.entries()) {
      this.#bytes += Buffer.byteLength(part);
      if (this.#bytes <= MAX_OUTPUT_BYTES) this.#line += part;
      if (index < parts.length - 1) this.#close();
    }
  }

  end(): { readonly text: string; readonly bytes: number } {
    this.#close();
    return this.#last;
  }

  #close(): void {
    if (this.#line.trim() !== "") this.#last = { text: this.#line.trim(), bytes: this.#bytes };
    this.#line = "";
    this.#bytes = 0;
  }
}

/** The output file wins where it holds anything; else the last line, where it is JSON; else the command gives nothing. */
export async function commandOutput(file: string, last: { readonly text: string; readonly bytes: number }): Promise<AcceptedOutput> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_OUTPUT_BYTES) return { kind: "refused", fault: outputTooLarge(size) };
  if (size > 0) return acceptJson((await readFile(file, "utf8")).trim());
  if (!/^[[{"\-0-9tfn]/.test(last.text)) return { kind: "accepted", output: null, notes: [] };
  if (last.bytes > MAX_OUTPUT_BYTES) {
    // A giant line that only begins like JSON is a log line.
    return /^[[{]/.test(last.text) ? { kind: "refused", fault: outputTooLarge(last.bytes) } : { kind: "accepted", output: null, notes: [] };
  }
  return parseJson(last.text).kind === "value" ? acceptJson(last.text) : { kind: "accepted", output: null, notes: [] };
}
