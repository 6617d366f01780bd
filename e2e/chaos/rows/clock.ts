import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../fixtures/until";
import type { Member } from "../rig/member";
import { pass } from "../rig/pass";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";
import { attemptsOf, heldRun } from "./worker";

const fileOf = (rig: Rig, member: Member) => join(rig.warden.folder, `${member.name}.clock`);

/** Makes a process's wall clock wrong by so much, running at such a rate; its monotonic clock and its timers stay true. */
const setClock = (rig: Rig, member: Member, offsetMs: number, rate = 1) => writeFileSync(fileOf(rig, member), `${offsetMs} ${rate}`);

const withClock = (rig: Rig, member: Member) => ({ NODE_OPTIONS: `--import ${rig.programs.clock}`, CHAOS_CLOCK_FILE: fileOf(rig, member) });

const refusalOf = async (rig: Rig, name: string): Promise<string | null | undefined> =>
  (await rig.ask<{ refusing: string | null }>`select refusing from workers where id = ${name}`)?.[0]?.refusing;

async function astray(stage: Stage, offsetMs: number): Promise<void> {
  const { rig } = stage;
  const member = rig.member("w4");
  const said = offsetMs > 0 ? "ahead" : "behind";
  await member.end("SIGTERM");
  setClock(rig, member, offsetMs);
  member.letEnd();
  await member.start(withClock(rig, member));
  member.letEnd();
  stage.expect((await member.ended) === 1, `a worker whose clock is ${said} refuses to start`);
  setClock(rig, member, 0);
  await member.start(withClock(rig, member));
  await until("it has its lease", async () => (await refusalOf(rig, "w4")) === null && (await rig.liveWorkers()) >= 4, 60_000);
  setClock(rig, member, offsetMs);
  const fromMs = performance.now();
  await until("it takes no more nodes", async () => (await refusalOf(rig, "w4")) === "clock", 60_000);
  stage.measure(`clock ${said} while it runs: takes no more nodes`, performance.now() - fromMs, 60_000);
  await rig.probe();
  await member.end("SIGKILL");
  await member.start();
}

const hosts: Row = {
  id: "F13",
  title: "a worker's clock is 2 min behind, and 1 h ahead; and another dies after it has left",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    await astray(stage, -120_000);
    await astray(stage, 3_600_000);
    // What the fast host left in the queue's own books must not keep a dead worker's node.
    const held = await heldRun(rig, "slow-handler");
    const fromMs = performance.now();
    await held.member.end("SIGKILL");
    await until("the node is given out again", async () => (await attemptsOf(rig, held.runId)).length > 1, 60_000, 50);
    stage.measure("a dead worker's node after a fast host was there", performance.now() - fromMs, 30_000);
    await rig.runEnds(held.runId);
    await held.member.start();
  },
};

async function ledBy(stage: Stage, work: (member: Member) => Promise<void>): Promise<void> {
  const { rig } = stage;
  for (const member of rig.schedulers) {
    setClock(rig, member, 0);
    await member.end("SIGTERM");
    await member.start(withClock(rig, member));
  }
  await rig.ready();
  const { member } = await rig.leader();
  await work(member);
  setClock(rig, member, 0);
}

const driftsSince = async (rig: Rig, since: Date): Promise<number> =>
  (
    await rig.ask<{ n: number }>`
    select count(*)::int as n from platform_events where code = 'APOLLO_CLOCK_DRIFT_503' and at >= ${since}`
  )?.[0]?.n ?? 0;

const jumps: Row = {
  id: "F14",
  title: "the leader's clock jumps 10 min ahead, and 10 min back",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    await ledBy(stage, async (member) => {
      for (const offsetMs of [600_000, -600_000]) {
        const since = await rig.databaseNow();
        const fromMs = performance.now();
        setClock(rig, member, offsetMs);
        await until("it is told", async () => (await driftsSince(rig, since)) > 0, 90_000);
        stage.measure("told after the jump", performance.now() - fromMs, 60_000);
        await pass(5_000);
        setClock(rig, member, 0);
        // It is told again only when it has been right in between.
        await pass(12_000);
      }
    });
  },
};

const rates: Row = {
  id: "F15",
  title: "the leader's clock runs at twice the rate",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    await ledBy(stage, async (member) => {
      const { epoch } = await rig.leader();
      setClock(rig, member, 0, 2);
      await pass(25_000);
      const now = await rig.leader();
      stage.expect(now.epoch === epoch, "its lease holds", { before: epoch, after: now.epoch });
      await rig.probe();
    });
  },
};

export const clockRows: readonly Row[] = [hosts, jumps, rates];
