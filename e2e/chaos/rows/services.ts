import { until } from "../../fixtures/until";
import { pass } from "../rig/pass";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";
import { heldRun } from "./worker";

const READY_MS = 30_000;
const RESUME_MS = 60_000;
const RING_MS = 10_000;

/** From now until the whole of it works: a leader, the web, and a run that goes through. */
async function works(rig: Rig): Promise<number> {
  const fromMs = performance.now();
  await rig.ready();
  await rig.probe();
  return performance.now() - fromMs;
}

const stopped: Row = {
  id: "F9",
  title: "PostgreSQL is stopped at once, and comes back",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    for (const ms of stage.isShort ? [5_000] : [5_000, 60_000]) {
      await rig.database.stop("immediate");
      await pass(ms);
      await rig.database.start();
      await rig.database.recovered();
      stage.measure(`works again after ${ms / 1_000} s without`, await works(rig), READY_MS);
    }
  },
};

const backends: Row = {
  id: "F10",
  title: "one server process of PostgreSQL is killed inside a transaction, and others are ended in a storm",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const pid = await until(
      "one of the product's backends is inside a transaction",
      async () =>
        (
          await rig.ask<{ pid: number }>`
            select pid from pg_stat_activity where application_name like 'apollo%' and xact_start is not null and pid <> pg_backend_pid() limit 1`
        )?.[0]?.pid,
      30_000,
      3,
    );
    process.kill(pid, "SIGKILL");
    await rig.database.recovered();
    stage.measure("works again after the crash of a backend", await works(rig), READY_MS);
    const endMs = performance.now() + 10_000;
    let ended = 0;
    while (performance.now() < endMs) {
      const rows = await rig.ask<{ n: number }>`
        select count(pg_terminate_backend(pid))::int as n from (
          select pid from pg_stat_activity where application_name like 'apollo%' order by random() limit 4) picked`;
      ended += rows?.[0]?.n ?? 0;
      await pass(150);
    }
    stage.note(`${ended} server processes were ended`);
    stage.measure("works again after the storm", await works(rig), READY_MS);
  },
};

const everything: Row = {
  id: "F12",
  title: "everything is killed at once, the database too",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    await heldRun(rig, "slow-handler");
    await Promise.all([
      ...[...rig.members.values()].map((member) => member.end("SIGKILL")),
      rig.database.stop("kill"),
      rig.redis?.kill() ?? Promise.resolve(),
    ]);
    const fromMs = performance.now();
    await Promise.all([rig.database.start(), rig.redis?.start()]);
    await Promise.all([...rig.members.values()].map((member) => member.start()));
    await works(rig);
    stage.measure("resumes after its start", performance.now() - fromMs, RESUME_MS);
  },
};

/** Over the ordinary lines of a network: slower and slower, and then nothing at all for a while. */
const slow: Row = {
  id: "F26",
  title: "PostgreSQL is slow: +20 ms, +200 ms, pauses of 2 s, and a lock that is held",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    for (const ms of [20, 200]) {
      const { epoch } = await rig.leader();
      // At 0.4 s there and back the fans of the load would only make a backlog, which another row plays.
      if (ms > 100) rig.load.stop();
      for (const member of rig.members.values()) member.toDatabase.delay(ms);
      await pass(15_000);
      stage.measure(`a run of one node at +${ms} ms`, await rig.probe());
      const now = await rig.leader();
      stage.expect(now.epoch === epoch, `the lease does not flap at +${ms} ms`, { before: epoch, after: now.epoch });
      for (const member of rig.members.values()) member.toDatabase.delay(0);
    }
    await pauses(stage);
    await lock(stage);
  },
};

/** Nothing is lost in a pause: what was under way comes late. */
async function pauses({ rig, ...stage }: Stage): Promise<void> {
  const { epoch } = await rig.leader();
  for (let n = 0; n < 4; n++) {
    for (const member of rig.members.values()) member.toDatabase.delay(1_000);
    await pass(2_000);
    for (const member of rig.members.values()) member.toDatabase.delay(0);
    await pass(1_500);
  }
  const { epoch: after } = await rig.leader();
  stage.note(`pauses of 2 s: the lease ${after === epoch ? "stayed" : `changed hands ${after - epoch} times`}`);
  stage.measure("a run of one node after the pauses", await rig.probe(), READY_MS);
}

async function lock({ rig, ...stage }: Stage): Promise<void> {
  const held = rig.sql.begin(async (tx) => {
    await tx`lock table node_runs in share mode`;
    await pass(stage.isShort ? 5_000 : 30_000);
  });
  await held;
  stage.measure("a run of one node after a table was locked for 30 s", await rig.probe(), READY_MS);
}

/** 10 processes at once against 50 connections, of which strangers hold many (B106, B107). */
const exhausted: Row = {
  id: "F28",
  title:
    "50 connections, 10 processes that start at once, and strangers and nodes that hold the rest: the lease is never lost (B106, B107)",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    await Promise.all([...rig.members.values()].map((member) => member.end("SIGKILL")));
    await rig.database.stop("fast");
    await rig.database.start({ max_connections: "50" });
    const extra = ["w5", "s4"].map((name) => rig.members.get(name) ?? addOne(rig, name));
    const fromMs = performance.now();
    await Promise.all([...rig.members.values()].map((member) => member.start()));
    await rig.ready();
    stage.measure("ready after all were started at once", performance.now() - fromMs, RESUME_MS);
    const { epoch } = await rig.leader();
    const held = await strangers(rig);
    try {
      const busy = await Promise.all(Array.from({ length: 12 }, () => rig.load.submit("connecting")));
      await pass(20_000);
      const now = await rig.leader();
      stage.expect(now.epoch === epoch, "the lease is never lost", { before: epoch, after: now.epoch, strangers: held.length });
      stage.note(`${held.length} connections were held by strangers`);
      for (const id of busy) await rig.runEnds(id);
    } finally {
      await Promise.all(held.map((sql) => sql.end({ timeout: 1 })));
    }
    for (const member of extra) {
      await member.end("SIGKILL");
      await member.close();
      rig.members.delete(member.name);
    }
    await rig.database.stop("fast");
    await rig.database.start();
    stage.measure("works again with connections enough", await works(rig), READY_MS);
  },
};

const addOne = (rig: Rig, name: string) =>
  name.startsWith("w") ? rig.addMember(name, "worker", rig.programs.worker) : rig.addMember(name, "scheduler", rig.programs.scheduler);

/** As many sessions as the server still gives. */
async function strangers(rig: Rig) {
  const { default: postgres } = await import("postgres");
  const held: ReturnType<typeof postgres>[] = [];
  for (let n = 0; n < 40; n++) {
    const sql = postgres(rig.database.url, { max: 1, onnotice: () => undefined, connect_timeout: 5 });
    const took = await sql`select 1`.catch(() => null);
    if (took === null) {
      await sql.end({ timeout: 1 });
      break;
    }
    held.push(sql);
  }
  return held;
}

const flushed: Row = {
  id: "F29",
  title: "all that the queue knows is lost under load",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    const rounds = stage.isShort ? 2 : 6;
    for (let n = 0; n < rounds; n++) {
      await loseQueue(rig);
      stage.measure("a run of one node after the loss", await rig.probe(), RING_MS);
    }
    if (!rig.redis) return;
    await rig.redis.kill();
    await pass(stage.isShort ? 3_000 : 20_000);
    // Without its doorbell a worker finds work by looking once a second.
    stage.measure("a run of one node without Redis", await rig.probe(), RING_MS);
    await rig.redis.start();
    stage.measure("a run of one node with Redis back", await rig.probe(), RING_MS);
    if (stage.isShort) return;
    await rig.redis.ask("CONFIG", "SET", "maxmemory", "1");
    stage.measure("a run of one node with a full Redis", await rig.probe(), RING_MS);
    await rig.redis.ask("CONFIG", "SET", "maxmemory", "0");
  },
};

export async function loseQueue(rig: Rig): Promise<void> {
  if (rig.redis) {
    await rig.redis.ask("FLUSHALL");
    return;
  }
  const tables = await rig.sql<{ name: string }[]>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'bullmq' and tablename <> 'migration'`;
  await rig.sql.unsafe(`truncate ${tables.map(({ name }) => `bullmq.${name}`).join(", ")}`);
}

export const serviceRows: readonly Row[] = [stopped, backends, everything, slow, exhausted, flushed];
