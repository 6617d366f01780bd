import { setTimeout as pause } from "node:timers/promises";
import { triggerRun } from "@/server/engine/runs/trigger-run";
import { type Engine, noop } from "../engine";
import { nowMs, quantile, rounded } from "../figures";
import { type Workload, warmUp, warmUpSlowly } from "../workload";

const EVERY_MS = 100;

/** An idle engine that gets one run every 100 ms: from the call that submits to the handler's first line. */
export const pickup: Workload = {
  key: "pickup",
  what: "idle, one run every 100 ms: submit to start",
  unit: "ms",
  peers: ["graphile-worker", "restate", "pg-boss", "bullmq-postgres"],
  ours: async (engine, { scale }) => {
    const runs = Math.max(10, Math.round(100 * scale));
    const pipeline = await engine.pipeline("pickup", [noop("only")]);
    const trigger = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
    await warmUp(engine, pipeline, trigger, 50, 1);
    await warmUpSlowly(engine, pipeline, trigger);
    await pause(1_000);
    const submitted = new Map<string, number>();
    const calls: Promise<void>[] = [];
    const cpu = engine.watchCpu();
    const begunMs = nowMs();
    for (let index = 0; index < runs; index++) {
      await pause(Math.max(0, begunMs + index * EVERY_MS - nowMs()));
      const atMs = nowMs();
      calls.push(trigger().then(({ id }) => void submitted.set(id, atMs)));
    }
    await Promise.all(calls);
    await engine.untilDone(pipeline, { runs, nodes: runs });
    const waits = engine.starts.all.map(({ runId, atMs }) => atMs - (submitted.get(runId) ?? Number.NaN));
    const used = cpu();
    const notes = await stagesOf(engine, submitted);
    return { figures: { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }, cpu: used, units: runs, notes };
  },
};

/** Where the time went, as the rows tell it: the median and the worst of each stage. */
async function stagesOf({ sql, starts }: Engine, submitted: ReadonlyMap<string, number>): Promise<Record<string, string>> {
  const rows = await sql<{ id: string; made: number; claimed: number }[]>`
    select r.id, (extract(epoch from r.created_at) * 1000)::float8 as made, (extract(epoch from a.dispatched_at) * 1000)::float8 as claimed
    from runs r join attempts a on a.run_id = r.id
  `;
  const known = rows.filter(({ id }) => submitted.has(id));
  const startOf = new Map(starts.all.map(({ runId, atMs }) => [runId, atMs]));
  const told = (values: readonly number[]) => `${rounded(quantile(values, 0.5))} / ${rounded(Math.max(...values))}`;
  return {
    submittedToMade: told(known.map(({ id, made }) => made - (submitted.get(id) ?? Number.NaN))),
    madeToClaimed: told(known.map(({ made, claimed }) => claimed - made)),
    claimedToStarted: told(known.map(({ id, claimed }) => (startOf.get(id) ?? Number.NaN) - claimed)),
  };
}
