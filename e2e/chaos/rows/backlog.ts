import { until } from "../../fixtures/until";
import type { Rig } from "../rig/rig";
import type { Row } from "./row";

const SHORT = 500;
const FULL = 3_000;
const LANES = 24;

/** How far the order of starts is from that of getting ready: places that a node was passed by, at most. */
async function worstOvertaking(rig: Rig, since: Date): Promise<number> {
  const [row] = await rig.sql<{ places: number | null }[]>`
    select max(started - ready)::int as places from (
      select row_number() over (order by a.dispatched_at) as started, row_number() over (order by a.queued_at) as ready
      from attempts a join runs r on r.id = a.run_id join pipelines p on p.id = r.pipeline_id
      where p.name = 'probe' and r.created_at >= ${since} and a.no = 1
    ) place`;
  return row?.places ?? 0;
}

const backlog: Row = {
  id: "F23",
  title: "a backlog piles up while no worker is there, and is worked off",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    rig.load.stop();
    await Promise.all(rig.workers.map((worker) => worker.end("SIGTERM")));
    const count = stage.isShort ? SHORT : FULL;
    const since = await rig.databaseNow();
    let left = count;
    const submit = async () => {
      while (left > 0) {
        left -= 1;
        await rig.load.submit("probe");
      }
    };
    await Promise.all(Array.from({ length: LANES }, submit));
    const fromMs = performance.now();
    await Promise.all(rig.workers.map((worker) => worker.start()));
    await until(
      "the backlog is worked off",
      async () => {
        const rows = await rig.ask<{ n: number }>`
          select count(*)::int as n from runs where state in ('PENDING','RUNNING') and created_at >= ${since} and trigger_kind = 'api'`;
        return rows?.[0]?.n === 0;
      },
      300_000,
      100,
    );
    const tookMs = performance.now() - fromMs;
    stage.measure(`${count} nodes worked off`, tookMs);
    stage.note(`${Math.round(count / (tookMs / 1_000))} nodes a second, with the start of four workers`);
    const [late] = await rig.sql<{ ms: number }[]>`
      select percentile_cont(0.99) within group (order by extract(epoch from created_at - fire_at) * 1000) as ms
      from fires where created_at >= ${since}`;
    stage.measure("fires meanwhile, p99 late", late?.ms ?? 0, 1_000);
    const places = await worstOvertaking(rig, since);
    // Four workers take in batches: a node may be passed by by what the others have in hand.
    stage.expect(places <= 200, "the oldest goes first", { places });
  },
};

export const backlogRows: readonly Row[] = [backlog];
