import { setTimeout as pause } from "node:timers/promises";
import { type BenchPipeline, type Engine, type NodeInput, noop } from "../engine";
import { pacedRuns, rateDuring, untilSettled } from "../paced";
import type { Workload } from "../workload";

const TURN_MS = 20_000;
/** In turn, so that a slow minute of the machine slows both. */
const TURNS = ["calm", "changed", "changed", "calm", "calm", "changed"] as const;
const NORMAL_EVERY_MS = 50;
const LENGTH = 5;
const WIDTH = 20;
const CHANGED_EVERY_MS = 1_000;
const RETRIES = 3;

/** A service changes its format, and a job that reads it loops inside and fails: other nodes go on as before. */
export const loops: Workload = {
  key: "loops",
  what: "20 nodes a second that loop inside and fail, beside 100 nodes a second that succeed",
  unit: "nodes",
  peers: [],
  workers: 4,
  slots: 25,
  ours: async (engine, { scale }) => {
    const turnMs = Math.max(5_000, TURN_MS * scale);
    const normal = await engine.pipeline(
      "normal",
      Array.from({ length: LENGTH }, (_, index) => noop(`n${index}`, index === 0 ? [] : [`n${index - 1}`])),
    );
    const changed = await engine.pipeline(
      "changed",
      Array.from({ length: WIDTH }, (_, index) => loopingNode(index)),
    );
    const stopNormal = pacedRuns(engine, normal, NORMAL_EVERY_MS);
    await pause(turnMs);
    const rates = { calm: [] as number[], changed: [] as number[] };
    for (const turn of TURNS) {
      const measure = () => rateDuring(engine, normal, () => pause(turnMs));
      if (turn === "calm") await untilSettled(engine, changed);
      const stopChanged = turn === "changed" ? pacedRuns(engine, changed, CHANGED_EVERY_MS) : async () => undefined;
      rates[turn].push(await measure());
      await stopChanged();
    }
    await untilSettled(engine, changed);
    await stopNormal();
    await untilSettled(engine, normal);
    const mean = (of: readonly number[]) => of.reduce((sum, each) => sum + each, 0) / of.length;
    const beside = { name: "the same without the job that loops", figures: { rate: mean(rates.calm) } };
    return { figures: { rate: mean(rates.changed) }, beside, notes: await judge(engine, changed) };
  },
};

/** It calls again twice inside each attempt, which takes as much from the budget of its node. */
const loopingNode = (index: number): NodeInput => ({
  key: `n${index}`,
  type: "handler",
  with: { task: "bench.loop", input: { times: 2 } },
  retry: { retries: RETRIES, delays: ["300ms"] },
});

async function judge({ sql }: Engine, { id }: BenchPipeline) {
  const [row] = await sql<{ nodes: number; attempts: number; most: number; over: number; ended: number; alerts: number }[]>`
    select count(*)::int as nodes, sum(n.attempt_no)::int as attempts, max(n.attempt_no)::int as most,
      count(*) filter (where n.attempt_no > ${RETRIES + 1})::int as over,
      count(*) filter (where n.state in ('MANUAL_REVIEW', 'FAILED'))::int as ended,
      (select count(*)::int from alerts) as alerts
    from node_runs n join runs r on r.id = n.run_id where r.pipeline_id = ${id}`;
  const told = row ?? { nodes: 0, attempts: 0, most: 0, over: -1, ended: 0, alerts: 0 };
  return {
    nodes: told.nodes,
    attempts: told.attempts,
    mostAttempts: told.most,
    overBudget: told.over,
    ended: told.ended,
    alerts: told.alerts,
  };
}
