import { setTimeout as pause } from "node:timers/promises";
import { triggerRun } from "@/server/engine/runs/trigger-run";
import { noop } from "../engine";
import { nowMs, quantile } from "../figures";
import { type Workload, warmUp } from "../workload";

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
    return { figures: { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) }, cpu: cpu(), units: runs };
  },
};
