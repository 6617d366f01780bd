import { isAlive } from "../../fixtures/processes";
import { until } from "../../fixtures/until";
import type { Member } from "../rig/member";
import { pass } from "../rig/pass";
import type { Call } from "../rig/receiver";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";

const AGAIN_MS = 15_000;

export interface Held {
  readonly runId: string;
  readonly member: Member;
  readonly call: Call;
}

interface AttemptRow {
  readonly no: number;
  readonly token: number;
  readonly outcome: string | null;
  readonly worker_id: string | null;
  readonly dispatched_at: Date;
  readonly error_code: string | null;
}

export const attemptsOf = (rig: Rig, runId: string, node = "a") =>
  rig.sql<AttemptRow[]>`
    select no, token, outcome, worker_id, dispatched_at, error_code from attempts where run_id = ${runId} and node_key = ${node} order by no`;

/** A run whose node `a` has taken effect and works on, with the worker that has it. */
export async function heldRun(rig: Rig, pipeline: string): Promise<Held> {
  const runId = await rig.load.submit(pipeline);
  const call = await until("the node has taken effect", () => rig.receiver.callsOfNode(runId, "a")[0], 60_000, 20);
  const [attempt] = await attemptsOf(rig, runId);
  return { runId, member: rig.member(attempt?.worker_id ?? "none"), call };
}

/** How long after the worker's last heartbeat the node was given out again, on the database's clock. */
async function givenAgain(rig: Rig, { runId, member }: Held): Promise<number> {
  const [beat] = await rig.sql<{ seen_at: Date }[]>`select seen_at from workers where id = ${member.name}`;
  const second = await until("the node is given out again", async () => (await attemptsOf(rig, runId)).at(1), 60_000, 50);
  return second.dispatched_at.getTime() - (beat?.seen_at.getTime() ?? 0);
}

async function killWorker(stage: Stage, pipeline: string): Promise<void> {
  const { rig } = stage;
  const held = await heldRun(rig, pipeline);
  await held.member.end("SIGKILL");
  stage.measure(`${pipeline} started again after its last heartbeat`, await givenAgain(rig, held), AGAIN_MS);
  stage.expect((await rig.runEnds(held.runId)) === "SUCCESS", "the run ends well");
  const attempts = await attemptsOf(rig, held.runId);
  stage.expect(attempts[0]?.outcome === "lost" && attempts.at(-1)?.outcome === "succeeded", "the first attempt is told as lost", attempts);
  await held.member.start();
}

const killed: Row = {
  id: "F5",
  title: "a worker is killed outright inside a node; and only its handlers' child",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    await killWorker(stage, "slow-handler");
    if (!stage.isShort) await killWorker(stage, "slow-command");
    const held = await heldRun(rig, "slow-handler");
    process.kill(held.call.pid ?? Number.NaN, "SIGKILL");
    stage.expect((await rig.runEnds(held.runId)) === "SUCCESS", "the run outlives the child of its worker");
    stage.expect(held.member.isRunning, "the worker outlives its child");
  },
};

const frozen: Row = {
  id: "F6",
  title: "a worker is frozen inside a node, its node goes to another, and it wakes with a result",
  short: true,
  run: async (stage) => {
    const { rig } = stage;
    // The child goes on while its worker is frozen: when it wakes, the result waits for it.
    const held = await heldRun(rig, "brief-handler");
    const fromMs = performance.now();
    held.member.signal("SIGSTOP");
    stage.measure("started again after its last heartbeat", await givenAgain(rig, held), AGAIN_MS);
    stage.expect((await rig.runEnds(held.runId)) === "SUCCESS", "another worker ends the run");
    const before = await attemptsOf(rig, held.runId);
    await pass(Math.max(0, stage.stopMs - (performance.now() - fromMs)));
    held.member.signal("SIGCONT");
    const late = await until(
      "the late result is in the history",
      async () => {
        const rows = await rig.sql<{ event: string; attempt_no: number; cause: string }[]>`
          select event, attempt_no, cause from run_events where run_id = ${held.runId} and event like 'late.%'`;
        return rows[0];
      },
      20_000,
    ).catch(() => null);
    stage.expect(late !== null && late.attempt_no === 1, "its late result is recorded as an event (IDM-2)", late);
    const after = await attemptsOf(rig, held.runId);
    stage.expect(JSON.stringify(after) === JSON.stringify(before), "and never applied", { before, after });
  },
};

const blocked: Row = {
  id: "F7",
  title: "a handler never gives its event loop back",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const { epoch } = await rig.leader();
    const runId = await rig.load.submit(stage.isShort ? "brief-spin" : "spinning");
    const [attempt] = await until(
      "it runs",
      async () => ((await attemptsOf(rig, runId)).length > 0 ? attemptsOf(rig, runId) : null),
      30_000,
    );
    const member = rig.member(attempt?.worker_id ?? "none");
    let oldestMs = 0;
    const watch = setInterval(() => {
      void rig.ask<{ ms: number }>`
        select extract(epoch from clock_timestamp() - seen_at) * 1000 as ms from workers where id = ${member.name}`.then((rows) => {
        oldestMs = Math.max(oldestMs, Number(rows?.[0]?.ms ?? 0));
      });
    }, 500);
    try {
      stage.expect((await rig.runEnds(runId, 120_000)) === "SUCCESS", "it ends well");
    } finally {
      clearInterval(watch);
    }
    stage.measure("oldest heartbeat meanwhile", oldestMs, 8_000);
    stage.expect((await attemptsOf(rig, runId)).length === 1, "in one attempt: its worker was never taken for dead");
    stage.expect((await rig.leader()).epoch === epoch, "and no other scheduler took over");
  },
};

const drained: Row = {
  id: "F8",
  title: "workers are stopped one by one with nodes running, as a deploy does",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    for (const pipeline of ["slow-handler", "slow-command", "slow-http", "brief-handler"]) {
      const held = await heldRun(rig, pipeline);
      const fromMs = performance.now();
      const code = await held.member.end("SIGTERM");
      // Ten seconds to end what runs, and what does not is handed back.
      stage.measure("a worker with nodes leaves", performance.now() - fromMs, 20_000);
      stage.expect(code === 0, "it leaves with 0", code);
      await held.member.start();
      stage.expect((await rig.runEnds(held.runId)) === "SUCCESS", `${pipeline} ends well`);
      const outcomes = (await attemptsOf(rig, held.runId)).map(({ outcome }) => outcome);
      const [node] = await rig.sql<{ attempts: number }[]>`select attempts from node_runs where run_id = ${held.runId} and key = 'a'`;
      stage.expect(
        node?.attempts === 1 && outcomes.every((outcome) => outcome === "handed_back" || outcome === "succeeded"),
        "no attempt counts as a failure",
        { outcomes, counted: node?.attempts },
      );
    }
  },
};

const partitioned: Row = {
  id: "F31",
  title: "a worker is cut from Postgres and not from the world",
  short: false,
  run: async (stage) => {
    const { rig } = stage;
    const held = await heldRun(rig, "slow-command");
    const [beat] = await rig.sql<{ age: number }[]>`
      select extract(epoch from clock_timestamp() - seen_at)::float8 * 1000 as age from workers where id = ${held.member.name}`;
    const fromMs = performance.now();
    await held.member.toDatabase.set("half-open");
    await until("its command has ended", () => isGone(held.call.pid), 40_000, 20);
    stage.measure("its command is gone after its last heartbeat", performance.now() - fromMs + (beat?.age ?? 0), 12_000);
    stage.measure("started again after its last heartbeat", await givenAgain(rig, held), AGAIN_MS);
    stage.expect((await rig.runEnds(held.runId)) === "SUCCESS", "another worker ends the run");
    await pass(Math.max(0, stage.stopMs / 2 - (performance.now() - fromMs)));
    stage.expect(held.member.isRunning, "the worker lives on");
    await held.member.toDatabase.heal();
    const healedMs = performance.now();
    await until("it has its lease again", async () => (await rig.liveWorkers()) >= 4, 60_000);
    stage.measure("has its lease again", performance.now() - healedMs, 30_000);
    const calls = rig.receiver.callsOf(held.call.key);
    stage.expect(calls.length === 2, "one step was repeated, under the same key", calls);
  },
};

export const workerRows: readonly Row[] = [killed, frozen, blocked, drained, partitioned];

/** Whether a process that a node started has ended. */
export const isGone = (pid: number | null): boolean => pid === null || !isAlive(pid);
