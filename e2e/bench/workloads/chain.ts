import { triggerRun } from "@/server/engine/runs/trigger-run";
import { type NodeInput, noop } from "../engine";
import { inFlight, type Workload, warmUp } from "../workload";

/** Nodes one after the other. */
export const chainOf = (length: number): NodeInput[] =>
  Array.from({ length }, (_, index) => noop(`n${index}`, index === 0 ? [] : [`n${index - 1}`]));

export const LENGTH = 10;

/** Chains of ten, twenty of them at a time: a lane submits its next run when the last one has ended. */
export const chain: Workload = {
  key: "chain",
  what: "200 runs × 10 nodes, 20 at a time",
  unit: "steps",
  peers: ["restate", "graphile-worker", "bullmq-postgres"],
  ours: async (engine, { scale }) => {
    const runs = Math.round(200 * scale);
    const pipeline = await engine.pipeline("chain", chainOf(LENGTH));
    const trigger = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
    await warmUp(engine, pipeline, trigger, 400, LENGTH);
    const cpu = engine.watchCpu();
    const begunMs = performance.now();
    await inFlight(runs, 20, trigger);
    await engine.untilDone(pipeline, { runs, nodes: runs * LENGTH });
    const tookMs = performance.now() - begunMs;
    return { figures: { rate: ((runs * LENGTH) / tookMs) * 1_000 }, cpu: cpu(), units: runs * LENGTH };
  },
};
