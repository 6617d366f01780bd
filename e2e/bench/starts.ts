import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** When a handler was called, as the handler itself saw it. */
export interface Start {
  readonly runId: string;
  readonly key: string;
  readonly atMs: number;
}

/** Hears from the handlers of all workers, in batches of 10 ms. */
export interface Starts {
  readonly port: number;
  readonly all: readonly Start[];
  clear(): void;
  /** Resolves when so many have been told since `clear`. */
  count(wanted: number, limitMs: number): Promise<void>;
  close(): Promise<void>;
}

export async function openStarts(): Promise<Starts> {
  let all: Start[] = [];
  let wake: (() => void) | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      for (const [runId, key, atMs] of JSON.parse(line) as [string, string, number][]) all.push({ runId, key, atMs });
      wake?.();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get all() {
      return all;
    },
    clear: () => {
      all = [];
    },
    count: (wanted, limitMs) =>
      new Promise((resolve, reject) => {
        if (all.length >= wanted) return resolve();
        const late = setTimeout(() => reject(new Error(`after ${limitMs} ms ${all.length} of ${wanted} nodes had started`)), limitMs);
        wake = () => {
          if (all.length < wanted) return;
          clearTimeout(late);
          wake = undefined;
          resolve();
        };
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes the handler file that workers load: a no-op, and one that takes a while as real work does. */
export function writeHandlers(folder: string, port: number): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bench.mjs"), handlerFile(port));
}

const handlerFile = (port: number) => `
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { defineTask, z } from "apollo-11/sdk";

const socket = connect({ port: ${port}, host: "127.0.0.1" }).on("error", () => undefined);
let told = [];
const flush = () => {
  socket.write(JSON.stringify(told) + "\\n");
  told = [];
};
const tell = ({ runId, nodeKey }) => {
  if (told.push([runId, nodeKey, performance.timeOrigin + performance.now()]) === 1) setTimeout(flush, 10);
};

export const noop = defineTask({
  name: "bench.noop",
  input: z.object({ v: z.int() }),
  output: z.object({ v: z.int() }),
  run: (ctx, input) => {
    tell(ctx);
    return input;
  },
});

/** Reads what it cannot read, again and again, and gives up. */
export const loop = defineTask({
  name: "bench.loop",
  input: z.object({ times: z.int() }),
  output: z.null(),
  run: async (ctx, { times }) => {
    for (let n = 0; n < times; n++) {
      ctx.declareRetry("prices");
      try {
        JSON.parse("<prices><price>1</price></prices>");
      } catch {
        await pause(20);
      }
    }
    throw ctx.error("FORMAT", 502, "the answer of prices is not JSON any more");
  },
});

export const busy = defineTask({
  name: "bench.busy",
  input: z.object({ leastMs: z.int(), mostMs: z.int() }),
  output: z.object({ tookMs: z.number() }),
  run: async (ctx, { leastMs, mostMs }) => {
    tell(ctx);
    const tookMs = leastMs + Math.random() * (mostMs - leastMs);
    await pause(tookMs);
    return { tookMs };
  },
});
`;
