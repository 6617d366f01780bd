import { z } from "zod";
import { defineTask, type TaskContext } from "@/workers/sdk/define-task";

/** Tells the demo's receiver that an effect took place; it counts how often each key did. */
async function takeEffect(ctx: TaskContext, effectsUrl: string | undefined, what: string): Promise<void> {
  if (effectsUrl === undefined) return;
  const answer = await fetch(effectsUrl, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": ctx.executionId, traceparent: ctx.traceparent },
    body: JSON.stringify({ what, runId: ctx.runId, nodeKey: ctx.nodeKey, attempt: ctx.attempt }),
    signal: ctx.signal,
  });
  if (!answer.ok) throw ctx.error("RECEIVER", answer.status, `the receiver answered ${answer.status}`);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

const rows = z.int().min(0);
const effectsUrl = z.url().optional();

export const clean = defineTask({
  name: "orders.clean",
  input: z.strictObject({ file: z.string(), rows, effectsUrl }),
  output: z.strictObject({ rows, dropped: rows }),
  run: async (ctx, input) => {
    const dropped = Math.floor(input.rows * 0.02);
    for (let part = 1; part <= 4; part++) {
      await pause(80, ctx.signal);
      ctx.progress(part / 4, `${Math.floor((input.rows * part) / 4)} of ${input.rows} rows`);
    }
    ctx.log.info(`cleaned ${input.file}`, { rows: input.rows, dropped });
    await takeEffect(ctx, input.effectsUrl, "clean");
    return { rows: input.rows - dropped, dropped };
  },
});

export const load = defineTask({
  name: "warehouse.load",
  input: z.strictObject({ rows, table: z.string().default("orders"), effectsUrl }),
  output: z.strictObject({ loaded: rows, table: z.string() }),
  run: async (ctx, input) => {
    await pause(120, ctx.signal);
    await takeEffect(ctx, input.effectsUrl, "load");
    ctx.log.info(`loaded ${input.rows} rows into ${input.table}`);
    return { loaded: input.rows, table: input.table };
  },
});

export const report = defineTask({
  name: "orders.report",
  input: z.strictObject({ day: z.string(), loaded: rows }),
  output: z.strictObject({ title: z.string(), lines: rows }),
  run: (ctx, { day, loaded }) => {
    ctx.log.info(`report for ${day || "today"}: ${loaded} orders`);
    return { title: `Orders of ${day || "today"}`, lines: loaded };
  },
});

/** Work of a given length, for pipelines that show how a graph runs. */
export const work = defineTask({
  name: "demo.work",
  input: z.strictObject({
    ms: z.int().min(0).max(600_000).default(200),
    rows: rows.default(100),
    failureRate: z.number().min(0).max(1).default(0),
    effectsUrl,
  }),
  output: z.strictObject({ rows }),
  run: async (ctx, input) => {
    const steps = Math.max(1, Math.min(20, Math.round(input.ms / 250)));
    for (let step = 1; step <= steps; step++) {
      await pause(input.ms / steps, ctx.signal);
      ctx.progress(step / steps);
    }
    if (Math.random() < input.failureRate) throw ctx.error("UPSTREAM", 503, "the upstream was not there, as it sometimes is not");
    await takeEffect(ctx, input.effectsUrl, "work");
    return { rows: input.rows };
  },
});
