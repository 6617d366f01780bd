import { MAX_LOG_BYTES } from "@/server/domain/run/work";
import type { LogChunk } from "@/server/engine/attempts/append-logs";
import type { Clock, Log } from "@/server/engine/context";
import { LineCutter, type LineMask } from "./log-lines";

export interface LogSinkOptions {
  readonly append: (chunks: readonly LogChunk[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export type LogTarget = Pick<LogChunk, "runId" | "key" | "generation" | "attemptNo">;
type Stream = LogChunk["lines"][number]["stream"];

/** The log of one attempt, while it runs. */
export interface AttemptLog {
  write(stream: "stdout" | "stderr", data: Buffer | string): void;
  /** A line of the worker's own. */
  system(text: string): void;
  /** More than can be stored right now has piled up: a source that can wait should. */
  readonly isFull: boolean;
  whenDrained(): Promise<void>;
  /** Stores what is left; gives all that the attempt wrote, kept or not. */
  end(): Promise<{ readonly bytes: number; readonly truncated: boolean }>;
}

const FLUSH_MS = 250;
const CHUNK_BYTES = 64 * 1024;
/** A batch stays well below what one statement should carry. */
const BATCH_BYTES = 1024 * 1024;
const FULL_BYTES = 8 * 1024 * 1024;
/** What a line takes beside its text: without it a flood of empty lines would have no limit. */
const LINE_COST = 16;
/** What the worker itself may still say beyond the limit: why an attempt ended must not be lost in its flood. */
const OWN_ROOM = 64 * 1024;
const MAX_OWN_LINE = 2_000;
const LAST_FLUSH_MS = 5_000;
const RETRY_MS = 500;

interface OpenChunk {
  lines: { at: string; stream: Stream; text: string }[];
  bytes: number;
}

/** Carries the logs of all attempts to the store: chunks of 64 kB or 250 ms, one append in flight. */
export class LogSink {
  #options: LogSinkOptions;
  #queue: LogChunk[] = [];
  #queuedBytes = 0;
  #open = new Set<() => void>();
  #drained: (() => void)[] = [];
  #sending: Promise<void> | null = null;
  #timer: NodeJS.Timeout;

  constructor(options: LogSinkOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), FLUSH_MS);
    this.#timer.unref();
  }

  open(target: LogTarget, mask: LineMask): AttemptLog {
    const cutters = { stdout: new LineCutter(mask), stderr: new LineCutter(mask) };
    let chunk: OpenChunk = { lines: [], bytes: 0 };
    let no = 0;
    let written = 0;
    let kept = 0;
    let truncated = false;
    let last: LogChunk | undefined;
    const cut = () => {
      if (chunk.lines.length === 0) return;
      last = { ...target, chunk: no++, lines: chunk.lines, bytes: chunk.bytes };
      this.#enqueue(last);
      chunk = { lines: [], bytes: 0 };
    };
    const keep = (stream: Stream, text: string, at = this.#options.clock.now().toISOString()) => {
      const bytes = Buffer.byteLength(text) + LINE_COST;
      chunk.lines.push({ at, stream, text });
      chunk.bytes += bytes;
      kept += bytes;
      if (chunk.bytes >= CHUNK_BYTES) cut();
    };
    const keepLines = (stream: Stream, lines: readonly string[]) => {
      const at = this.#options.clock.now().toISOString();
      for (const line of lines) {
        if (truncated) return;
        if (kept + Buffer.byteLength(line) + LINE_COST <= MAX_LOG_BYTES) keep(stream, line, at);
        else endKeeping();
      }
    };
    const endKeeping = () => {
      truncated = true;
      keep("system", `log limit of ${MAX_LOG_BYTES} bytes reached: what follows is counted and not kept`);
    };
    const keepOwn = (text: string) => {
      // Masked before it is cut: half of a secret would not be found.
      const line = mask(text).slice(0, MAX_OWN_LINE);
      if (kept + Buffer.byteLength(line) + LINE_COST <= MAX_LOG_BYTES + OWN_ROOM) keep("system", line);
      else if (!truncated) endKeeping();
    };
    const isFull = () => this.#queuedBytes > FULL_BYTES;
    this.#open.add(cut);
    return {
      write: (stream, data) => {
        written += typeof data === "string" ? Buffer.byteLength(data) : data.length;
        if (!truncated) keepLines(stream, cutters[stream].push(data));
      },
      system: keepOwn,
      get isFull() {
        return isFull();
      },
      whenDrained: () => this.#whenDrained(),
      end: async () => {
        if (truncated) keep("system", `the attempt wrote ${written} bytes in all`);
        else for (const stream of ["stdout", "stderr"] as const) keepLines(stream, cutters[stream].end());
        cut();
        this.#open.delete(cut);
        // What wrote nothing waits for nobody else's log.
        await this.#flushFor(LAST_FLUSH_MS, last);
        return { bytes: written, truncated };
      },
    };
  }

  /** Stores all that there is, for at most this long. */
  async close(limitMs: number): Promise<void> {
    clearInterval(this.#timer);
    for (const cut of this.#open) cut();
    await this.#flushFor(limitMs, this.#queue.at(-1));
  }

  #whenDrained(): Promise<void> {
    if (this.#queuedBytes <= FULL_BYTES) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  #enqueue(chunk: LogChunk): void {
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.bytes;
    if (this.#queuedBytes >= CHUNK_BYTES) this.#send();
  }

  #tick(): void {
    for (const cut of this.#open) cut();
    this.#send();
  }

  #send(): void {
    if (this.#sending || this.#queue.length === 0) return;
    const batch: LogChunk[] = [];
    let bytes = 0;
    for (const chunk of this.#queue) {
      if (batch.length > 0 && bytes + chunk.bytes > BATCH_BYTES) break;
      batch.push(chunk);
      bytes += chunk.bytes;
    }
    this.#sending = this.#options.append(batch).then(
      () => {
        this.#queue.splice(0, batch.length);
        this.#queuedBytes -= bytes;
        this.#sending = null;
        if (this.#queuedBytes <= FULL_BYTES) for (const wake of this.#drained.splice(0)) wake();
        if (this.#queuedBytes >= CHUNK_BYTES) this.#send();
      },
      async (error: unknown) => {
        this.#options.log.debug({ error: String(error) }, "logs could not be stored; they are kept and tried again");
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        this.#sending = null;
      },
    );
  }

  /** Until this chunk is stored, but no longer than the limit: a run never waits for its log. */
  async #flushFor(limitMs: number, last: LogChunk | undefined): Promise<void> {
    const endMs = this.#options.clock.monotonicMs() + limitMs;
    while (last && this.#queue.includes(last)) {
      const leftMs = endMs - this.#options.clock.monotonicMs();
      if (leftMs <= 0) return;
      this.#send();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, leftMs);
      });
      await Promise.race([this.#sending, late]);
      clearTimeout(timer);
    }
  }
}
