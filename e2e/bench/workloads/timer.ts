import { triggerRun } from "@/server/engine/runs/trigger-run";
import { type Engine, noop } from "../engine";
import { nowMs, quantile, rounded } from "../figures";
import { inFlight, type Workload, warmUp, warmUpSlowly } from "../workload";

const SPREAD_MS = 10_000;
const AHEAD_MS = 4_000;

/**
 * Instants with milliseconds that the leader's wheel has to meet: runs whose first node waits until one, and whose second
 * is a handler. Lateness is told by that handler's first line, so that the settle of the wait, the ring and the claim count.
 * (The fires of a cron schedule fall on whole seconds; they take the same wheel.)
 */
export const timer: Workload = {
  key: "timer",
  what: "1,000 timers with ms due times spread over 10 s: lateness",
  unit: "ms",
  peers: ["bullmq-postgres", "restate", "pg-boss", "graphile-worker"],
  ours: async (engine, { scale }) => {
    const fires = Math.round(1_000 * scale);
    const idle = await engine.pipeline("idle", [noop("only")]);
    const warm = () => triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: idle.id, kind: "api" });
    await warmUp(engine, idle, warm, 50, 1);
    await warmUpSlowly(engine, idle, warm);
    const pipeline = await engine.pipeline("timer", [
      { key: "wait", type: "wait", with: { until: "{{ params.due }}" } },
      noop("fire", ["wait"]),
    ]);
    const dueOf = new Map<string, number>();
    const firstMs = Math.ceil(nowMs()) + AHEAD_MS;
    await inFlight(fires, 50, async (index) => {
      const dueMs = firstMs + Math.floor((index * SPREAD_MS) / fires) + ((index * 7_919) % 10);
      const params = { due: new Date(dueMs).toISOString() };
      const { id } = await triggerRun(engine.ctx, { projectId: engine.projectId, pipeline: pipeline.id, kind: "api", params });
      dueOf.set(id, dueMs);
    });
    if (nowMs() > firstMs) throw new Error("the timers were not set in time");
    const cpu = engine.watchCpu();
    await engine.untilDone(pipeline, { runs: fires, nodes: fires });
    const late = engine.starts.all.map(({ runId, atMs }) => atMs - (dueOf.get(runId) ?? Number.NaN));
    const early = late.filter((ms) => ms < 0).length;
    const figures = { p50: quantile(late, 0.5), p99: quantile(late, 0.99) };
    const stages = await stagesOf(engine, dueOf);
    return { figures, cpu: cpu(), units: fires, notes: { early, latestMs: Math.round(Math.max(...late)), ...stages } };
  },
};

/** Where the time went, as the rows tell it: medians and the worst of each stage. */
async function stagesOf({ sql, starts }: Engine, dueOf: ReadonlyMap<string, number>): Promise<Record<string, string>> {
  const rows = await sql<{ id: string; ended: number; claimed: number }[]>`
    select a.run_id as id, (extract(epoch from w.ended_at) * 1000)::float8 as ended, (extract(epoch from a.dispatched_at) * 1000)::float8 as claimed
    from attempts a join node_runs w on w.run_id = a.run_id and w.key = 'wait' where a.node_key = 'fire'
  `;
  const startOf = new Map(starts.all.map(({ runId, atMs }) => [runId, atMs]));
  const told = (values: readonly number[]) => `${rounded(quantile(values, 0.5))} / ${rounded(Math.max(...values))}`;
  return {
    dueToDecided: told(rows.map(({ id, ended }) => ended - (dueOf.get(id) ?? Number.NaN))),
    decidedToClaimed: told(rows.map(({ ended, claimed }) => claimed - ended)),
    claimedToStarted: told(rows.map(({ id, claimed }) => (startOf.get(id) ?? Number.NaN) - claimed)),
  };
}
