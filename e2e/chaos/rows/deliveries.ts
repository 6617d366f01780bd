import { Queue } from "bullmq";
import { until } from "../../fixtures/until";
import { pass } from "../rig/pass";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";

const GROUP = "ring-default";

/** Rings as another program would, over the rig's own connection: under ids of their own, so that none is merged with another. */
async function ringOften(rig: Rig, times: number): Promise<void> {
  if (rig.redis) {
    const queue = new Queue(GROUP, { prefix: "apollo11", connection: { host: "127.0.0.1", port: rig.redis.port } });
    queue.on("error", () => undefined);
    for (let n = 0; n < times; n++) await queue.add("ring", { group: "default" }, { jobId: `again-${n}`, removeOnComplete: true });
    await queue.close();
    return;
  }
  const { Pool } = await import("pg");
  const { createPostgresBackend, withBackend } = await import("bullmq");
  const pool = new Pool({ connectionString: rig.database.url, max: 2, options: "-c search_path=bullmq" });
  pool.on("error", () => undefined);
  const Queues = withBackend(createPostgresBackend).Queue;
  const queue = new Queues(GROUP, { prefix: "apollo11", connection: pool }) as unknown as Queue;
  queue.on("error", () => undefined);
  for (let n = 0; n < times; n++) await queue.add("ring", { group: "default" }, { jobId: `again-${n}`, removeOnComplete: true });
  await queue.close();
  await pool.end();
}

const twice: Row = {
  id: "F20",
  title: "everything is delivered several times: rings under other ids, and each start three times at once",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    await ringOften(rig, stage.isShort ? 60 : 300);
    for (let n = 0; n < (stage.isShort ? 5 : 20); n++) {
      const key = `twice-${stage.random.seed}-${n}-${process.pid}-${Math.round(performance.now())}`;
      const ids = await Promise.all(Array.from({ length: 3 }, () => rig.client.trigger("diamond", key)));
      stage.expect(new Set(ids).size === 1, "three starts with one key are one run", ids);
      await rig.runEnds(ids[0] ?? "");
      await ringOften(rig, 5);
      stage.expect((await rig.client.trigger("diamond", key)) === ids[0], "and so is one that comes after its end");
    }
  },
};

interface Edge {
  readonly name: string;
  readonly of: "worker" | "web" | "scheduler";
  readonly line: "database" | "redis";
  readonly request?: RegExp;
  readonly answer?: RegExp;
}

/** Where an answer may be lost: done there, and unknown here. */
const EDGES: readonly Edge[] = [
  { name: "claim", of: "worker", line: "database", request: /\bme as materialized/ },
  { name: "heartbeat", of: "worker", line: "database", request: /update\s+"?workers"?/i },
  { name: "settle", of: "worker", line: "database", request: /insert into\s+"?run_events/i },
  { name: "worker's commit", of: "worker", line: "database", answer: /C\0\0\0\x0bCOMMIT/ },
  { name: "leader's commit", of: "scheduler", line: "database", answer: /C\0\0\0\x0bCOMMIT/ },
  { name: "lease", of: "scheduler", line: "database", request: /update\s+"?leases"?/i },
  { name: "start's commit", of: "web", line: "database", answer: /C\0\0\0\x0bCOMMIT/ },
];
const RING_EDGES = {
  redis: { name: "ring", of: "web", line: "redis", request: /evalsha/i },
  postgres: { name: "ring", of: "web", line: "database", request: /add_job/ },
} as const satisfies Record<string, Edge>;

async function loseAt(stage: Stage, edge: Edge): Promise<void> {
  const { rig } = stage;
  const members = [...rig.members.values()].filter(({ role }) => role === edge.of);
  const times = stage.isShort ? 1 : 3;
  const lines = members.flatMap((member) => (edge.line === "database" ? [member.toDatabase] : member.toRedis ? [member.toRedis] : []));
  for (const line of lines)
    line.lose({ times, ...(edge.request ? { request: edge.request } : {}), ...(edge.answer ? { answer: edge.answer } : {}) });
  await rig.load.submit("chain");
  const lost = () => lines.reduce((sum, line) => sum + line.lost, 0);
  await until(`answers are lost: ${edge.name}`, () => lost() >= times, 30_000).catch(() => undefined);
  stage.expect(lost() > 0, `an answer was lost: ${edge.name}`);
  stage.note(`${edge.name}: ${lost()} answers lost`);
  for (const line of lines) line.lose({ times: 0 });
  stage.measure(`a run of one node after a lost ${edge.name}`, await rig.probe(), 30_000);
}

const lostAnswers: Row = {
  id: "F24",
  title: "the answer is lost at each edge: what was done is known there and not here",
  short: true,
  run: async (stage) => {
    for (const edge of [...EDGES, RING_EDGES[stage.rig.backend]]) await loseAt(stage, edge);
  },
};

const FAILPOINT = `
create or replace function chaos_fail() returns trigger language plpgsql as $$
begin
  if random() < 0.01 then
    if random() < 0.5 then raise exception 'chaos: could not serialize' using errcode = '40001'; end if;
    raise exception 'chaos: deadlock detected' using errcode = '40P01';
  end if;
  return new;
end $$;
create trigger chaos_fail before update on node_runs for each row execute function chaos_fail()`;

/** Under load the change of a table can be the one that a deadlock picks. */
const changeTable = (rig: Rig, text: string) =>
  until(
    "the table is changed",
    () =>
      rig.sql.unsafe(text).then(
        () => true,
        () => false,
      ),
    60_000,
    200,
  );

const deadlocks: Row = {
  id: "F27",
  title: "deadlocks and serialization failures, while people cancel, pause and rerun what just ends",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    await changeTable(rig, FAILPOINT);
    try {
      const endMs = performance.now() + 20_000;
      let acts = 0;
      const meddle = async (lane: number) => {
        const pipelines = ["chain", "diamond", "long"];
        while (performance.now() < endMs) {
          const id = await rig.load.submit(pipelines[(acts + lane) % pipelines.length] ?? "chain");
          for (const verb of ["pause", "resume", "cancel", "rerun"]) {
            // What the run's state does not allow is refused; what fails is tried by the next one.
            await rig.client.call("POST", `/runs/${id}/${verb}`, { reason: "the rig meddles" }).catch(() => undefined);
            acts += 1;
          }
        }
      };
      await Promise.all([0, 1, 2].map(meddle));
      stage.note(`${acts} acts of people`);
    } finally {
      await changeTable(rig, "drop trigger if exists chaos_fail on node_runs; drop function if exists chaos_fail");
    }
    stage.measure("a run of one node afterwards", await rig.probe(), 30_000);
  },
};

const ORPHAN_KEY = `
insert into bullmq.dedup (queue, dedup_id, job_id) values ('${GROUP}', 'default', 'gone-1')
on conflict (queue, dedup_id) do update set job_id = excluded.job_id`;

/** The queue believes that a ring is under way, or has been answered, and neither is so. */
const disagreeing: Row = {
  id: "F30",
  title: "the queue says one thing and our rows another: our rows win",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    await pass(1_000);
    // A deduplication key without its job swallows each ring that comes.
    if (rig.redis) await rig.redis.ask("SET", `apollo11:${GROUP}:de:default`, "gone-1");
    else await rig.sql.unsafe(ORPHAN_KEY);
    stage.measure("a run of one node while rings are swallowed", await rig.probe(), 60_000);
    const busy = await Promise.all(Array.from({ length: 10 }, () => rig.load.submit("chain")));
    if (rig.redis) await rig.redis.ask("DEL", `apollo11:${GROUP}:wait`, `apollo11:${GROUP}:active`, `apollo11:${GROUP}:marker`);
    else await rig.sql.unsafe("truncate bullmq.job cascade");
    for (const id of busy) stage.expect((await rig.runEnds(id, 60_000)) === "SUCCESS", "a run ends although its rings are gone");
    stage.measure("a run of one node after the queue was emptied", await rig.probe(), 10_000);
  },
};

export const deliveryRows: readonly Row[] = [twice, lostAnswers, deadlocks, disagreeing];
