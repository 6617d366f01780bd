import { triggerRun } from "@/server/engine/runs/trigger-run";
import { noop } from "../engine";
import { inFlight, type Workload, warmUp } from "../workload";

/** Runs of one node, submitted one by one at 50 in flight. */
export const one: Workload = {
  key: "one",
  what: "10,000 runs of one no-op node, one by one at 50 in flight, until all are SUCCESS",
  unit: "runs",
  peers: ["restate", "graphile-worker", "pg-boss", "bullmq-postgres"],
  ours: async (engine, { scale }) => {
    const runs = Math.round(10_000 * scale);
    const pipeline = await engine.pipeline("one", [noop("only")]);
    const trigger = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
    await warmUp(engine, pipeline, trigger, 1_000, 1);
    const cpu = engine.watchCpu();
    const begunMs = performance.now();
    await inFlight(runs, 50, trigger);
    const submittedMs = performance.now() - begunMs;
    await engine.untilDone(pipeline, { runs, nodes: runs });
    const tookMs = performance.now() - begunMs;
    return { figures: { rate: (runs / tookMs) * 1_000 }, cpu: cpu(), units: runs, notes: { submittedMs: Math.round(submittedMs) } };
  },
};
