import { triggerRun } from "@/server/engine/runs/trigger-run";
import { gapsOf, quantile } from "../figures";
import type { Workload } from "../workload";
import { chainOf } from "./chain";

const LENGTH = 40;
const RUNS = 10;

/** One chain alone, a few times: from a node's start to the next one's. As many before them are not counted. */
export const step: Workload = {
  key: "step",
  what: "one chain of 40 alone: node to node",
  unit: "ms",
  peers: ["restate", "graphile-worker", "bullmq-postgres"],
  ours: async (engine) => {
    const pipeline = await engine.pipeline("step", chainOf(LENGTH));
    const gaps: number[] = [];
    let cpu = engine.watchCpu();
    for (let run = -RUNS; run < RUNS; run++) {
      if (run === 0) cpu = engine.watchCpu();
      engine.starts.clear();
      await triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
      await engine.untilDone(pipeline, { runs: 1, nodes: LENGTH });
      if (run >= 0) gaps.push(...gapsOf(engine.starts.all.map(({ atMs }) => atMs)));
    }
    return { figures: { p50: quantile(gaps, 0.5), p99: quantile(gaps, 0.99) }, cpu: cpu(), units: LENGTH * RUNS };
  },
};
