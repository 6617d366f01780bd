import type { LogView } from "../../views";

type Chunk = LogView["chunks"][number];
export type LogLine = Chunk["lines"][number];

/** What is known of the log of one attempt: a window that grows at both ends. */
export interface LogTail {
  /** In order, each once. */
  readonly chunks: readonly Chunk[];
  readonly loaded: boolean;
  readonly olderExist: boolean;
  readonly ended: boolean;
  readonly truncated: boolean;
  readonly bytes: number;
}

export const EMPTY_TAIL: LogTail = { chunks: [], loaded: false, olderExist: false, ended: false, truncated: false, bytes: 0 };

export interface NumberedLine extends LogLine {
  /** The same however often the window is read. */
  readonly id: string;
}

/** Joins an answer to the window: a chunk that comes twice stands once, and nothing is put in the wrong place. */
export function joinPage(tail: LogTail, page: Omit<LogView, "generation" | "attempt">, asked: "tail" | "after" | "before"): LogTail {
  const byNumber = new Map([...tail.chunks, ...page.chunks].map((chunk) => [chunk.chunk, chunk]));
  const chunks = [...byNumber.values()].sort((a, b) => a.chunk - b.chunk);
  return {
    chunks: chunks.length === tail.chunks.length ? tail.chunks : chunks,
    loaded: true,
    olderExist: asked === "after" && tail.loaded ? tail.olderExist : page.olderExist,
    ended: asked === "before" ? tail.ended : page.ended,
    truncated: tail.truncated || page.truncated,
    bytes: Math.max(tail.bytes, page.bytes),
  };
}

/** How many chunks stand in a row from the first one: behind a gap one may still be on its way. */
function unbroken(tail: LogTail): number {
  const first = tail.chunks[0]?.chunk ?? 0;
  const gap = tail.chunks.findIndex((chunk, index) => chunk.chunk !== first + index);
  return gap < 0 ? tail.chunks.length : gap;
}

/** After which chunk to ask on: what lies behind a gap is asked for again, so that nothing is passed over. */
export function nextAfter(tail: LogTail): number {
  return tail.chunks[unbroken(tail) - 1]?.chunk ?? -1;
}

export const firstChunk = (tail: LogTail): number | null => tail.chunks[0]?.chunk ?? null;

/** What may be shown: up to the first gap while chunks can still come, all of it once the attempt has ended. */
export function linesOf(tail: LogTail): NumberedLine[] {
  const sure = tail.ended ? tail.chunks : tail.chunks.slice(0, unbroken(tail));
  return sure.flatMap((chunk) => chunk.lines.map((line, index) => ({ ...line, id: `${chunk.chunk}:${index}` })));
}

/** The log as a file: an instant, the stream where it is not the usual one, and the text as it came. */
export const logFile = (lines: readonly LogLine[]): string =>
  lines.map((line) => `${line.at} ${line.stream === "stdout" ? "" : `[${line.stream}] `}${line.text}\n`).join("");
