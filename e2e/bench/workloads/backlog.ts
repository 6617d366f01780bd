import { setTimeout as pause } from "node:timers/promises";
import { listPipelines } from "@/server/engine/pipelines/list-pipelines";
import { listRuns } from "@/server/engine/runs/list-runs";
import { triggerRun } from "@/server/engine/runs/trigger-run";
import { listWorkers } from "@/server/engine/workers/list-workers";
import { type Engine, noop } from "../engine";
import { quantile } from "../figures";
import { type Workload, warmUp } from "../workload";
import { submitMany } from "./bulk";

const NODES = 100_000;
const LIMIT_MS = 600_000;

/** A hundred thousand nodes are ready while no worker runs; then one comes. What pages read is asked for all the time. */
export const backlog: Workload = {
  key: "backlog",
  what: "100,000 ready nodes, workers off, then on",
  unit: "nodes",
  peers: [],
  ours: async (engine, { scale }) => {
    const nodes = Math.round(NODES * scale);
    const pipeline = await engine.pipeline("backlog", [noop("only")]);
    const trigger = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api" });
    await warmUp(engine, pipeline, trigger, 200, 1);
    await engine.stopWorkers();
    await submitMany(engine, pipeline, nodes);
    const pages = readPages(engine);
    await engine.startWorkers();
    const cpu = engine.watchCpu();
    const begunMs = performance.now();
    const already = engine.starts.all.length;
    await engine.untilDone(pipeline, { runs: nodes, nodes }, LIMIT_MS);
    const tookMs = performance.now() - begunMs;
    const tookPages = await pages();
    const notes = { pageP95Ms: Math.round(quantile(tookPages, 0.95)), pages: tookPages.length };
    return { figures: { rate: ((nodes - already) / tookMs) * 1_000 }, cpu: cpu(), units: nodes, notes };
  },
};

/** Reads what the lists of runs, pipelines and workers show, one after the other; gives how long each took. */
function readPages({ ctx, projectId }: Engine): () => Promise<readonly number[]> {
  const took: number[] = [];
  let stopped = false;
  const reading = (async () => {
    while (!stopped) {
      for (const read of [() => listRuns(ctx, { projectId }), () => listPipelines(ctx, { projectId }), () => listWorkers(ctx)]) {
        const begunMs = performance.now();
        await read();
        took.push(performance.now() - begunMs);
      }
      await pause(250);
    }
  })();
  return async () => {
    stopped = true;
    await reading;
    return took;
  };
}
