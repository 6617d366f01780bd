import { triggerRun } from "@/server/engine/runs/trigger-run";
import { type NodeInput, noop } from "../engine";
import { inFlight, type Workload, warmUp } from "../workload";

const WIDTH = 100;
const NODES = WIDTH + 2;

/** One node, then a hundred, then one that waits for all of them. */
const fanOut = (): NodeInput[] => {
  const leaves = Array.from({ length: WIDTH }, (_, index) => `leaf${index}`);
  return [noop("root"), ...leaves.map((key) => noop(key, ["root"])), noop("join", leaves)];
};

export const fan: Workload = {
  key: "fan",
  what: "1 → 100 → 1, 20 runs",
  unit: "nodes",
  peers: ["restate", "pg-boss", "bullmq-postgres"],
  ours: async (engine, { scale }) => {
    const runs = Math.max(1, Math.round(20 * scale));
    const pipeline = await engine.pipeline("fan", fanOut());
    const trigger = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
    await warmUp(engine, pipeline, trigger, 40, NODES);
    const cpu = engine.watchCpu();
    const begunMs = performance.now();
    await inFlight(runs, 20, trigger);
    await engine.untilDone(pipeline, { runs, nodes: runs * NODES });
    const tookMs = performance.now() - begunMs;
    return { figures: { rate: ((runs * NODES) / tookMs) * 1_000 }, cpu: cpu(), units: runs * NODES };
  },
};
