import { spawn } from "node:child_process";
import postgres from "postgres";
import { z } from "zod";
import { defineTask, type TaskContext } from "@/workers/sdk/define-task";

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/** Takes effect at the receiver under the execution's key; true where it had before. */
async function takeEffect(ctx: TaskContext, url: string): Promise<boolean> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "idempotency-key": ctx.executionId,
      "x-apollo-run": ctx.runId,
      "x-apollo-node": ctx.nodeKey,
      "x-apollo-attempt": String(ctx.attempt),
      "x-apollo-token": String(ctx.token),
      "x-pid": String(process.pid),
    },
    signal: ctx.signal,
  });
  const said = (await answer.json()) as { repeated: boolean };
  if (!answer.ok) throw ctx.error("RECEIVER", answer.status, `the receiver answered ${answer.status}`);
  return said.repeated;
}

const ms = z.int().min(0).max(600_000).default(0);

/** Takes effect, and then works on for a while. */
export const effect = defineTask({
  name: "chaos.effect",
  input: z.strictObject({ url: z.url(), ms }),
  output: z.strictObject({ repeated: z.boolean() }),
  run: async (ctx, input) => {
    const repeated = await takeEffect(ctx, input.url);
    if (input.ms > 0 && !repeated) await pause(input.ms, ctx.signal);
    return { repeated };
  },
});

/** Works without an effect, as most steps do. */
export const step = defineTask({
  name: "chaos.step",
  input: z.strictObject({ ms }),
  output: z.null(),
  run: async (ctx, input) => {
    if (input.ms > 0) await pause(input.ms, ctx.signal);
    return null;
  },
});

/** Keeps a transaction of the product's own database open, as a step does whose work is in it; without a connection it fails. */
export const connect = defineTask({
  name: "chaos.connect",
  input: z.strictObject({ url: z.string(), ms }),
  output: z.null(),
  run: async (ctx, input) => {
    const sql = postgres(input.url, { max: 1, onnotice: () => undefined, connect_timeout: 5 });
    try {
      await sql.begin(async (tx) => {
        await tx`select 1`;
        await pause(input.ms, ctx.signal);
      });
    } finally {
      await sql.end({ timeout: 1 });
    }
    return null;
  },
});

/** Gives the event loop of its process back after this long. */
export const spin = defineTask({
  name: "chaos.spin",
  input: z.strictObject({ ms }),
  output: z.null(),
  run: (_, input) => {
    const endMs = performance.now() + input.ms;
    while (performance.now() < endMs) Math.sqrt(endMs);
    return null;
  },
});

/** Harms what runs it, in one of the ways that users' code does. */
export const poison = defineTask({
  name: "chaos.poison",
  input: z.strictObject({ kind: z.enum(["exit", "segfault", "forks", "closed", "flood", "memory"]), bytes: z.int().default(0) }),
  output: z.null(),
  run: async (ctx, input) => {
    switch (input.kind) {
      case "exit":
        process.exit(0);
        break;
      case "segfault":
        process.kill(process.pid, "SIGSEGV");
        await pause(5_000, ctx.signal);
        break;
      case "forks":
        for (let n = 0; n < 20; n++) spawn("setsid", ["sleep", "600"], { stdio: "ignore", detached: true }).unref();
        process.exit(3);
        break;
      case "closed":
        process.stdout.destroy();
        process.stderr.destroy();
        process.disconnect();
        await pause(60_000, ctx.signal);
        break;
      case "flood":
        for (let sent = 0; sent < input.bytes; sent += 65_536) {
          if (!process.stdout.write(`${"x".repeat(65_535)}\n`)) await new Promise((resolve) => process.stdout.once("drain", resolve));
        }
        process.exit(4);
        break;
      case "memory":
        eat(input.bytes);
        process.exit(5);
        break;
    }
    return null;
  },
});

const eaten: Buffer[] = [];

/** Touches each page, so that the memory is really there. */
function eat(bytes: number): void {
  for (let got = 0; got < bytes; got += 4_194_304) eaten.push(Buffer.alloc(4_194_304, 1));
}
