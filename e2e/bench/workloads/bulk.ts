import { triggerRun } from "@/server/engine/runs/trigger-run";
import { MAX_TRIGGERED, triggerRuns } from "@/server/engine/runs/trigger-runs";
import { type BenchPipeline, type Engine, noop } from "../engine";
import { type Workload, warmUp } from "../workload";

/** Submits so many runs with the verb for many. */
export async function submitMany(engine: Engine, pipeline: BenchPipeline, runs: number): Promise<void> {
  const wish = { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" } as const;
  for (let left = runs; left > 0; left -= MAX_TRIGGERED) {
    await triggerRuns(
      engine.ctx,
      Array.from({ length: Math.min(MAX_TRIGGERED, left) }, () => wish),
    );
  }
}

/** Runs of one node, submitted many at a time. */
export const bulk: Workload = {
  key: "bulk",
  what: "10,000 such runs submitted in bulk",
  unit: "runs",
  peers: ["graphile-worker", "pg-boss", "bullmq-postgres"],
  ours: async (engine, { scale }) => {
    const runs = Math.round(10_000 * scale);
    const pipeline = await engine.pipeline("bulk", [noop("only")]);
    const trigger = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
    await warmUp(engine, pipeline, trigger, 1_000, 1);
    const cpu = engine.watchCpu();
    const begunMs = performance.now();
    await submitMany(engine, pipeline, runs);
    const submittedMs = performance.now() - begunMs;
    await engine.untilDone(pipeline, { runs, nodes: runs });
    const tookMs = performance.now() - begunMs;
    return { figures: { rate: (runs / tookMs) * 1_000 }, cpu: cpu(), units: runs, notes: { submittedMs: Math.round(submittedMs) } };
  },
};
