import { StringDecoder } from "node:string_decoder";
import { BLANK, shown } from "@/server/domain/errors/blank";
import type { TextMask } from "@/server/domain/errors/mask-text";
import type { Stretch } from "@/server/domain/errors/text-views";

/** A longer line is cut into pieces: a screen cannot draw it, and a chunk should not hold it alone. */
export const MAX_LINE = 64 * 1024;

/** Of the mask of an attempt, what a log needs. */
export type LineMask = TextMask;

/** A private key that has begun and not ended; longer than any is none, and a log must not wait for it. */
const KEY_BEGUN = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?![\s\S]*-----END [A-Z ]{0,30}PRIVATE KEY)/;
const MAX_KEY = 20_000;
/** Of an endless line so much is looked at in one go, and so much is kept of what is hidden over more than a piece. */
const WINDOW = 4 * MAX_LINE;
const HEAD = 4_096;

/** Cuts a stream of bytes into lines as a log keeps them: masked, no NUL, no half character, none endless. */
export class LineCutter {
  #decoder = new StringDecoder("utf8");
  #rest = "";
  #mask: LineMask;

  constructor(mask: LineMask) {
    this.#mask = mask;
  }

  /** Whole lines are masked as one block: line by line costs ten times as much in a flood. */
  push(data: Buffer | string): string[] {
    this.#rest += typeof data === "string" ? data : this.#decoder.write(data);
    const end = this.#wholeLines();
    const lines = end < 0 ? [] : this.#whole(this.#rest.slice(0, end));
    this.#rest = this.#rest.slice(end + 1);
    while (this.#rest.length > MAX_LINE + this.#mask.reach) lines.push(...this.#endless());
    return lines;
  }

  /** Pieces of a line that does not end: masked before it is cut, and cut well before its end, for a value there may go on. */
  #endless(): string[] {
    const blanked = this.#mask.blank(this.#rest.slice(0, WINDOW + this.#mask.reach));
    const pieces: string[] = [];
    let done = 0;
    while (blanked.length - done > MAX_LINE + this.#mask.reach) {
      const run = hiddenAt(blanked, done + MAX_LINE);
      const at = run === null ? cutAt(blanked, done + MAX_LINE) : Math.max(run.start, done);
      if (run && at === done) {
        // Hidden over a whole piece: what it begins with is enough to know the rest by.
        this.#rest = this.#rest.slice(done, done + HEAD) + this.#rest.slice(run.end);
        return pieces;
      }
      pieces.push(storable(shown(blanked.slice(done, at))));
      done = at;
    }
    this.#rest = this.#rest.slice(done);
    return pieces;
  }

  /** Where the last line ends that can be told by itself: one that a secret or a private key may go on from waits for the next. */
  #wholeLines(): number {
    const end = this.#rest.lastIndexOf("\n");
    if (end < 0) return end;
    const from = this.#rest.includes("PRIVATE KEY") ? (KEY_BEGUN.exec(this.#rest)?.index ?? -1) : -1;
    if (from >= 0 && this.#rest.length - from < MAX_KEY) return this.#rest.lastIndexOf("\n", from);
    const lastLine = this.#rest.slice(Math.max(0, end - this.#mask.reach), end).trimEnd();
    if (this.#mask.unfinishedFrom(lastLine) === lastLine.length || this.#rest.length > MAX_LINE) return end;
    return end === 0 ? -1 : this.#rest.lastIndexOf("\n", end - 1);
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    return rest === "" ? [] : this.#whole(rest.endsWith("\n") ? rest.slice(0, -1) : rest);
  }

  #whole(block: string): string[] {
    return storable(this.#mask(block))
      .split("\n")
      .flatMap((line) => pieces(line.endsWith("\r") ? line.slice(0, -1) : line));
  }
}

function pieces(line: string): string[] {
  if (line.length <= MAX_LINE) return [line];
  const cut: string[] = [];
  for (let at = 0; at < line.length; ) {
    const end = cutAt(line, at + MAX_LINE);
    cut.push(line.slice(at, end));
    at = end;
  }
  return cut;
}

/** The hidden stretch that a place lies in. */
function hiddenAt(blanked: string, at: number): Stretch | null {
  if (blanked[at] !== BLANK || blanked[at - 1] !== BLANK) return null;
  let [start, end] = [at, at];
  while (blanked[start - 1] === BLANK) start--;
  while (blanked[end] === BLANK) end++;
  return { start, end };
}

/** Not between the halves of one character. */
function cutAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** jsonb takes neither a NUL nor half a surrogate pair: they are shown, not dropped. */
const storable = (text: string): string => text.replaceAll("\u0000", "\u2400").replace(/\p{Surrogate}/gu, "\ufffd");
