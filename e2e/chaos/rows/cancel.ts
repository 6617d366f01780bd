import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../fixtures/until";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";
import { heldRun, isGone } from "./worker";

const GONE_MS = 10_000;

const nodeIs = (rig: Rig, runId: string, key: string, state: string) =>
  until(
    `${key} is ${state}`,
    async () => {
      const rows = await rig.ask<{ state: string }>`select state from node_runs where run_id = ${runId} and key = ${key}`;
      return rows?.[0]?.state === state;
    },
    60_000,
    20,
  );

/** Until the engine takes it: people press again where the console does not answer. */
async function cancel(rig: Rig, runId: string): Promise<void> {
  await until(
    `run ${runId} is cancelled`,
    () =>
      rig.client
        .cancel(runId)
        .then(() => true)
        .catch(() => false),
    60_000,
    200,
  );
}

async function isCancelled(stage: Stage, runId: string, what: string): Promise<void> {
  const state = await stage.rig.runEnds(runId, 60_000);
  stage.expect(state === "CANCELED", `${what}: the run ends as cancelled`, state);
}

async function whileDispatched({ rig, ...stage }: Stage): Promise<void> {
  const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => rig.load.submit(["chain", "fan", "diamond"][n % 3] ?? "chain")));
  await Promise.all(ids.map((id) => cancel(rig, id).catch(() => undefined)));
  const states = await Promise.all(ids.map((id) => rig.runEnds(id)));
  stage.note(`in dispatch: ${states.filter((state) => state === "CANCELED").length} of ${ids.length} were cancelled before their end`);
}

async function whileRunning(stage: Stage): Promise<void> {
  const { rig } = stage;
  const held = await heldRun(rig, "slow-command");
  await cancel(rig, held.runId);
  const fromMs = performance.now();
  await until("the process is gone", () => isGone(held.call.pid), 60_000, 20);
  stage.measure("running: the process is gone", performance.now() - fromMs, GONE_MS);
  await isCancelled(stage, held.runId, "running");
}

async function whileWaiting(stage: Stage): Promise<void> {
  const { rig } = stage;
  const runId = await rig.load.submit("refused");
  await nodeIs(rig, runId, "a", "RETRYING");
  const before = rig.receiver.callsOfNode(runId, "a").length;
  await cancel(rig, runId);
  await isCancelled(stage, runId, "in a retry's wait");
  stage.expect(rig.receiver.callsOfNode(runId, "a").length === before, "in a retry's wait: it is not tried again");
}

async function whileLeaderless(stage: Stage): Promise<void> {
  const { rig } = stage;
  const held = await heldRun(rig, "slow-command");
  const { member, epoch } = await rig.leader();
  const killedMs = performance.now();
  await member.end("SIGKILL");
  await cancel(rig, held.runId);
  const fromMs = performance.now();
  await until("the process is gone", () => isGone(held.call.pid), 60_000, 20);
  stage.measure("leader dead: the process is gone", performance.now() - fromMs, GONE_MS);
  await isCancelled(stage, held.runId, "with the leader dead");
  await rig.takeOver(epoch, killedMs);
  await member.start();
}

async function whileWorkerless(stage: Stage): Promise<void> {
  const { rig } = stage;
  const held = await heldRun(rig, "slow-command");
  await held.member.end("SIGKILL");
  const fromMs = performance.now();
  await cancel(rig, held.runId);
  await until("the process is gone", () => isGone(held.call.pid), 60_000, 20);
  stage.measure("worker dead: the process is gone", performance.now() - fromMs, GONE_MS);
  await isCancelled(stage, held.runId, "with its worker dead");
  await held.member.start();
  await rig.probe();
  stage.expect(rig.receiver.callsOfNode(held.runId, "b").length === 0, "with its worker dead: nothing of the run starts");
}

const cancelled: Row = {
  id: "F21",
  title: "a run is cancelled in dispatch, while it runs, in a retry's wait, with its leader dead, with its worker dead",
  short: false,
  run: async (stage) => {
    await whileDispatched(stage);
    await whileRunning(stage);
    await whileWaiting(stage);
    await whileLeaderless(stage);
    await whileWorkerless(stage);
  },
};

const LIMIT_MS = 2_000;

/** Deaf to SIGTERM, with a grandchild in a session of its own that is deaf too. */
const STUBBORN = `trap "" TERM; setsid sh -c 'trap "" TERM; sleep 300' & echo "$$ $!" > "$0"; while :; do sleep 1; done`;

const stubborn: Row = {
  id: "F22",
  title: "a node runs out of time that ignores SIGTERM and leaves grandchildren",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const file = join(rig.warden.folder, "logs", "stubborn.pids");
    await rig.client.apply("stubborn", {
      domain: "CHAOS",
      nodes: [{ key: "a", type: "command", with: { argv: ["sh", "-c", STUBBORN, file] }, timeout: "2s", retry: { policy: "none" } }],
    });
    const runId = await rig.load.submit("stubborn");
    await nodeIs(rig, runId, "a", "TIMEOUT");
    const fromMs = performance.now();
    const [attempt] = await rig.sql<{ ms: number }[]>`
      select extract(epoch from committed_at - dispatched_at)::float8 * 1000 as ms from attempts where run_id = ${runId} and node_key = 'a'`;
    stage.measure("recorded after the limit", (attempt?.ms ?? Number.NaN) - LIMIT_MS, 2_000);
    const pids = readFileSync(file, "utf8").trim().split(" ").map(Number);
    await until("all that it started is gone", () => pids.every((pid) => isGone(pid)), 30_000, 20);
    stage.measure("all that it started is gone", performance.now() - fromMs, 5_000);
  },
};

export const cancelRows: readonly Row[] = [cancelled, stubborn];
