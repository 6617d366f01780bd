import { StringDecoder } from "node:string_decoder";

/** A longer line is cut into pieces: a screen cannot draw it, and a chunk should not hold it alone. */
export const MAX_LINE = 64 * 1024;

export interface LineMask {
  (text: string): string;
  readonly reach: number;
}

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
    const end = this.#rest.lastIndexOf("\n");
    const lines = end < 0 ? [] : this.#whole(this.#rest.slice(0, end));
    this.#rest = this.#rest.slice(end + 1);
    while (this.#rest.length > MAX_LINE + this.#mask.reach) {
      // Masked before it is cut, and cut well before its end: a value across the cut would be seen by neither piece.
      const masked = this.#mask(this.#rest);
      if (masked.length <= MAX_LINE) {
        this.#rest = masked;
        break;
      }
      const at = cutAt(masked, MAX_LINE);
      lines.push(storable(masked.slice(0, at)));
      this.#rest = masked.slice(at);
    }
    return lines;
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    return rest === "" ? [] : this.#whole(rest);
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

/** Not between the halves of one character. */
function cutAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** jsonb takes neither a NUL nor half a surrogate pair: they are shown, not dropped. */
const storable = (text: string): string => text.replaceAll("\u0000", "\u2400").replace(/\p{Surrogate}/gu, "\ufffd");
