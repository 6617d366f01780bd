import { until } from "../../fixtures/until";
import { pass } from "../rig/pass";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";

const TAKE_OVER_MS = 9_000;
const HAND_OVER_MS = 2_000;
const IN_TRANSACTION_MS = 14_000;

/** The latest of the fires that a span of the database's time has seen. */
async function worstLateness(rig: Rig, since: Date): Promise<number> {
  const [row] = await rig.sql<{ ms: number | null }[]>`
    select max(extract(epoch from created_at - fire_at) * 1000)::int as ms from fires where created_at >= ${since}`;
  return row?.ms ?? 0;
}

/** Until the leader of this epoch has fired something. */
const firesUnder = (rig: Rig, epoch: number) =>
  until(
    `a fire of epoch ${epoch} or later`,
    async () => ((await rig.ask<{ n: number }>`select count(*)::int as n from fires where epoch >= ${epoch}`)?.[0]?.n ?? 0) > 0,
    30_000,
    50,
  );

const killed: Row = {
  id: "F1",
  title: "the leader is killed outright",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    const tries = stage.isShort ? 1 : 3;
    for (let n = 0; n < tries; n++) {
      const since = await rig.databaseNow();
      await pass(stage.random.below(2_000));
      const { member, epoch } = await rig.leader();
      const fromMs = performance.now();
      await member.end("SIGKILL");
      stage.measure("take-over", await rig.takeOver(epoch, fromMs), TAKE_OVER_MS);
      await firesUnder(rig, epoch + 1);
      stage.measure("latest fire", await worstLateness(rig, since), 10_000);
      await member.start();
    }
  },
};

/** What the one that was frozen has written after another led. */
async function wroteAfterItsTerm(rig: Rig, epoch: number): Promise<readonly unknown[]> {
  return rig.sql`
    select f.id, f.epoch, f.created_at from fires f
    where f.epoch <= ${epoch} and f.created_at > (select min(created_at) from fires where epoch > ${epoch}) limit 5`;
}

async function freezeAndWake(stage: Stage, what: string, stopMs: number): Promise<void> {
  const { rig } = stage;
  const { member, epoch } = await rig.leader();
  if (what === "in a transaction") await freezeInTransaction(rig, member.pid, () => member.signal("SIGSTOP"));
  const fromMs = performance.now();
  member.signal("SIGSTOP");
  const logEnd = member.logEnd();
  stage.measure(`take-over, frozen ${what}`.trim(), await rig.takeOver(epoch, fromMs), TAKE_OVER_MS);
  await firesUnder(rig, epoch + 1);
  await pass(Math.max(0, stopMs - (performance.now() - fromMs)));
  const wokenMs = performance.now();
  member.signal("SIGCONT");
  await until("the woken one stands by", () => /term ended|fenced/.test(member.said(logEnd)), 20_000, 10);
  stage.measure("woken stands by", performance.now() - wokenMs, 1_000);
  await rig.probe();
  const late = await wroteAfterItsTerm(rig, epoch);
  stage.expect(late.length === 0, "a woken leader of the past writes nothing", late);
}

/** Slow answers keep it inside a transaction for long enough to be caught there. */
async function freezeInTransaction(rig: Rig, pid: number, freeze: () => void): Promise<void> {
  const member = rig.schedulers.find((each) => each.pid === pid);
  member?.toDatabase.delay(150);
  await until(
    "the leader is inside a transaction",
    async () =>
      ((
        await rig.ask<{ n: number }>`
          select count(*)::int as n from pg_stat_activity where application_name = 'apollo11-leader' and state = 'idle in transaction'`
      )?.[0]?.n ?? 0) > 0,
    30_000,
    5,
  );
  freeze();
}

const frozen: Row = {
  id: "F2",
  title: "the leader is frozen, also inside a transaction, and wakes",
  short: true,
  run: async (stage) => {
    await freezeAndWake(stage, "", stage.stopMs);
    // What counts is where it is caught: a leader that holds the fence must not hold up its successor.
    if (!stage.isShort) await freezeAndWake(stage, "in a transaction", IN_TRANSACTION_MS);
  },
};

const cut: Row = {
  id: "F3",
  title: "the leader is cut from Postgres and lives",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const { member, epoch } = await rig.leader();
    const logEnd = member.logEnd();
    const fromMs = performance.now();
    await member.toDatabase.set("half-open");
    const stopped = until("it stops by its own clock", () => member.said(logEnd).includes("term ended"), 30_000, 10).then(
      () => performance.now() - fromMs,
    );
    stage.measure("take-over", await rig.takeOver(epoch, fromMs), TAKE_OVER_MS);
    // Its lease lasts 6 s from its last renewal, and it trusts it for 5.
    stage.measure("stops by its own clock", await stopped, 6_000);
    await pass(Math.max(0, stage.stopMs - (performance.now() - fromMs)));
    await member.toDatabase.heal();
    await rig.probe();
    const late = await wroteAfterItsTerm(rig, epoch);
    stage.expect(late.length === 0, "a leader that was cut off writes nothing when it is back", late);
  },
};

/** Each scheduler has asked for the lease: only one that does is there to take over at once. */
const allStandBy = (rig: Rig) =>
  until(
    "three schedulers ask for the lease",
    async () =>
      ((
        await rig.ask<{ n: number }>`
          select count(*)::int as n from pg_stat_activity where application_name = 'apollo11-lease' and query ~* 'lease|listen'`
      )?.[0]?.n ?? 0) >= 3,
    60_000,
  );

const deployed: Row = {
  id: "F4",
  title: "schedulers are stopped one by one, as a deploy does",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const since = await rig.databaseNow();
    for (let n = 0; n < 3; n++) {
      await allStandBy(rig);
      const { member, epoch } = await rig.leader();
      const fromMs = performance.now();
      const ended = member.end("SIGTERM");
      stage.measure("hand-over", await rig.takeOver(epoch, fromMs), HAND_OVER_MS);
      stage.expect((await ended) === 0, "a scheduler that is told to end leaves with 0");
      await member.start();
      await firesUnder(rig, epoch + 1);
    }
    stage.measure("latest fire", await worstLateness(rig, since), 3_000);
  },
};

const two: Row = {
  id: "F32",
  title: "two lead at once: one that ignores the lease, under the leader's own epoch and under a past one",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const { epoch } = await rig.leader();
    const rogue = rig.members.get("rogue") ?? rig.addMember("rogue", "scheduler", rig.programs.rogue);
    try {
      await rogue.start({ CHAOS_EPOCH: String(epoch) });
      await pass(stage.isShort ? 8_000 : 25_000);
      const [refused] = await rig.sql<{ n: number }[]>`select coalesce(sum(duplicates_refused), 0)::int as n from fires`;
      stage.note(`under the leader's own epoch: ${refused?.n ?? 0} second starts of a fire were refused`);
      await rogue.end("SIGKILL");
      const { member, epoch: before } = await rig.leader();
      const fromMs = performance.now();
      await member.end("SIGKILL");
      await rig.takeOver(before, fromMs);
      await member.start();
      await rogue.start({ CHAOS_EPOCH: String(before) });
      await until("the rogue is fenced", () => /fenced|is over: another scheduler leads/.test(rogue.said()), 30_000);
      await pass(3_000);
      const late = await wroteAfterItsTerm(rig, before);
      stage.expect(late.length === 0, "under a past epoch nothing is written", late);
    } finally {
      await rogue.close();
      rig.members.delete("rogue");
    }
  },
};

export const leaderRows: readonly Row[] = [killed, frozen, cut, deployed, two];
