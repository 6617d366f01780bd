import { setTimeout as pause } from "node:timers/promises";
import { triggerRun } from "@/server/engine/runs/trigger-run";
import type { BenchPipeline, Engine } from "./engine";

/** Runs at an even pace, however long each takes, until the call of what it gives; that waits for none of them. */
function paced(everyMs: number, submit: () => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  const open = new Set<Promise<unknown>>();
  const submitting = (async () => {
    for (let nextMs = performance.now(); !stopped; nextMs += everyMs) {
      const asked: Promise<unknown> = submit().finally(() => open.delete(asked));
      // Told where it is awaited, at the end.
      asked.catch(() => undefined);
      open.add(asked);
      await pause(Math.max(0, nextMs + everyMs - performance.now()));
    }
  })();
  return async () => {
    stopped = true;
    await submitting;
    await Promise.all(open);
  };
}

export const pacedRuns = ({ ctx, projectId }: Engine, { id }: BenchPipeline, everyMs: number): (() => Promise<void>) =>
  paced(everyMs, () => triggerRun(ctx, { projectId, pipeline: id, kind: "api" }));

/** Nodes of a pipeline that succeeded in a second while this lasted. */
export async function rateDuring({ sql }: Engine, { id }: BenchPipeline, work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    const [row] = await sql<{ n: number; ms: number }[]>`
      select count(*)::int as n, (extract(epoch from clock_timestamp()) * 1000)::float8 as ms
      from node_runs n join runs r on r.id = n.run_id where r.pipeline_id = ${id} and n.state = 'SUCCESS'`;
    return row ?? { n: 0, ms: 0 };
  };
  const before = await count();
  await work();
  const after = await count();
  return ((after.n - before.n) / (after.ms - before.ms)) * 1_000;
}

/** Waits until no run of the pipeline waits or works; those that wait for a person have ended here. */
export async function untilSettled({ sql }: Engine, { id, name }: BenchPipeline, limitMs = 300_000): Promise<void> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const [row] = await sql<{ live: number }[]>`
      select count(*)::int as live from runs where pipeline_id = ${id} and state in ('PENDING', 'RUNNING')`;
    if (row?.live === 0) return;
    if (performance.now() > endMs) throw new Error(`${row?.live} runs of ${name} do not end`);
    await pause(100);
  }
}
