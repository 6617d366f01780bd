import { setTimeout as pause } from "node:timers/promises";
import type { Engine, NodeInput, ScheduleInput } from "../engine";
import { quantile } from "../figures";
import { inFlight, type Workload } from "../workload";

const PIPELINES = 400;
/** Those that fire each minute, at seconds of their own; 350 of them make 10,500 node starts in ten minutes. */
const EACH_MINUTE = 350;
/** A burst is 500 runs of three nodes that are due at once: two schedules of each of so many pipelines. */
const BURSTING = 250;
const BURSTS = 3;
const NODES = 3;
/** For publishing the pipelines. */
const PREPARE_MS = 90_000;
/** A node that is ready within this of a burst belongs to it, or stands behind it. */
const BURST_MS = 60_000;

const busy = (key: string): NodeInput => ({
  key,
  type: "handler",
  with: { task: "bench.busy", input: { leastMs: 100, mostMs: 300 } },
});

/** The peak hour of the reference day at five times its load, for ten minutes: schedules fire, and nobody submits anything. */
export const day: Workload = {
  key: "day",
  what: "400 pipelines of 3 nodes, 3 schedulers, 8 workers; 15,000 node starts in 10 min, 1,500 of them in the same second three times",
  unit: "ms",
  peers: [],
  workers: 8,
  schedulers: 3,
  slots: 8,
  ours: async (engine, { scale }) => {
    const minutes = Math.max(6, Math.round(10 * scale));
    const startMs = nextMinute(Date.now() + PREPARE_MS);
    const bursts = Array.from({ length: BURSTS }, (_, index) => startMs + Math.floor(((index + 0.5) * minutes) / BURSTS) * 60_000);
    await inFlight(PIPELINES, 6, (index) =>
      engine.pipeline(`day-${index}`, [busy("a"), busy("b"), busy("c")], schedulesOf(index, startMs, minutes, bursts)),
    );
    if (Date.now() > startMs) throw new Error("the pipelines were not there in time");
    const cpu = engine.watchCpu();
    await pause(startMs + minutes * 60_000 - Date.now());
    await engine.untilIdle(BURST_MS * 2);
    const notes = await judge(engine, bursts, minutes);
    const waits = await waitsOutside(engine, bursts);
    return {
      figures: { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) },
      cpu: cpu(),
      units: engine.starts.all.length,
      notes,
    };
  },
};

const nextMinute = (ms: number) => Math.ceil(ms / 60_000) * 60_000;

/** Quartz expressions, for their seconds. A burst falls on the hour's minute at its very start. */
function schedulesOf(index: number, startMs: number, minutes: number, bursts: readonly number[]): ScheduleInput[] {
  const base = { dialect: "quartz", timezone: "UTC", overlap: "allow", misfire: "all" } as const;
  const first = new Date(startMs).getUTCMinutes();
  const spread = Array.from({ length: minutes }, (_, minute) => (first + minute) % 60).join(",");
  const each = index < EACH_MINUTE ? [{ ...base, name: "each-minute", cron: `${1 + (index % 58)} ${spread} * * * ?` }] : [];
  const at = bursts.map((ms) => new Date(ms).getUTCMinutes()).join(",");
  const burst = index < BURSTING ? ["one", "two"].map((name) => ({ ...base, name: `burst-${name}`, cron: `0 ${at} * * * ?` })) : [];
  return [...each, ...burst];
}

async function judge({ sql, starts }: Engine, bursts: readonly number[], minutes: number) {
  const [late] = await sql<
    { ms: number; fires: number }[]
  >`select max(late_ms)::int as ms, count(*)::int as fires from fires where run_id is not null`;
  const drained = await Promise.all(
    bursts.map(async (ms) => {
      const [row] = await sql<{ ms: number }[]>`
        select (extract(epoch from max(n.started_at)) * 1000)::float8 - ${ms}::float8 as ms from node_runs n
        join runs r on r.id = n.run_id where r.scheduled_at = ${new Date(ms).toISOString()}::timestamptz
      `;
      return row?.ms ?? Number.NaN;
    }),
  );
  const [failed] = await sql<{ count: number }[]>`select count(*)::int as count from runs where state <> 'SUCCESS'`;
  const told = { minutes, fires: late?.fires ?? 0, nodeStarts: starts.all.length, notSucceeded: failed?.count ?? 0 };
  return {
    ...told,
    expected: (late?.fires ?? 0) * NODES,
    latestFireMs: late?.ms ?? 0,
    slowestQueueEmptyMs: Math.round(Math.max(...drained)),
  };
}

/** From ready to the handler's first line, of nodes that no burst stands before. */
async function waitsOutside({ sql, starts }: Engine, bursts: readonly number[]): Promise<number[]> {
  const rows = await sql<{ id: string; key: string; ms: number }[]>`
    select run_id as id, key, (extract(epoch from ready_at) * 1000)::float8 as ms from node_runs where ready_at is not null
  `;
  const readyMs = new Map(rows.map(({ id, key, ms }) => [`${id}/${key}`, ms]));
  return starts.all.flatMap(({ runId, key, atMs }) => {
    const ready = readyMs.get(`${runId}/${key}`);
    if (ready === undefined || bursts.some((ms) => ready >= ms - 1_000 && ready < ms + BURST_MS)) return [];
    return [atMs - ready];
  });
}
