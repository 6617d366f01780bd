import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { POISONS } from "../rig/pipelines";
import type { Rig } from "../rig/rig";
import type { Row, Stage } from "./row";
import { attemptsOf } from "./worker";

const MOST_LOSSES = 3;
const MEMORY_BYTES = 600_000_000;
const CGROUP = "/sys/fs/cgroup/memory";

function whyNoGroup(): string | null {
  try {
    accessSync(join(CGROUP, "cgroup.procs"), constants.W_OK);
    return null;
  } catch {
    return "this machine gives no memory cgroup of version 1 to write to";
  }
}

/** Ends in a failure or with a person, and never takes more than its share along. */
async function isContained(stage: Stage, pipeline: string): Promise<readonly { readonly error_code: string | null }[]> {
  const { rig } = stage;
  const runId = await rig.load.submit(pipeline);
  const probeMs = await rig.probe();
  stage.measure(`a run of one node beside ${pipeline}`, probeMs, 10_000);
  await rig.runEnds(runId, 120_000);
  const [node] = await rig.sql<{ state: string }[]>`select state from node_runs where run_id = ${runId} and key = 'a'`;
  const attempts = await attemptsOf(rig, runId);
  const isEnd = node !== undefined && ["MANUAL_REVIEW", "FAILED", "TIMEOUT"].includes(node.state);
  stage.expect(isEnd, `${pipeline} ends in a failure or with a person`, node);
  const deaths = attempts.filter(({ outcome, error_code: code }) => outcome === "lost" || (code ?? "").includes("CRASH"));
  stage.expect(deaths.length <= MOST_LOSSES, `${pipeline} takes along at most ${MOST_LOSSES}`, attempts);
  stage.note(
    `${pipeline}: ${node?.state} after ${attempts.length} attempts (${[...new Set(attempts.map(({ error_code: code }) => code))].join(", ")})`,
  );
  return attempts;
}

/** Its own process must have outlived it. */
const pidsOf = (rig: Rig) => rig.workers.map(({ pid }) => pid).join(" ");

const poisonous: Row = {
  id: "F19",
  title: "handlers end their process, break it, leave others behind, close its channels, and flood its output",
  short: false,
  run: async (stage) => {
    const before = pidsOf(stage.rig);
    for (const kind of POISONS) if (kind !== "memory") await isContained(stage, `poison-${kind}`);
    stage.expect(pidsOf(stage.rig) === before && stage.rig.workers.every(({ isRunning }) => isRunning), "no worker was taken along");
  },
};

const hungry: Row = {
  id: "F18",
  title: "a handler takes all the memory that its worker may have",
  short: false,
  impossible: whyNoGroup,
  run: async (stage) => {
    const { rig } = stage;
    const worker = rig.member("w3");
    const group = join(CGROUP, `apollo-chaos-${process.pid}`);
    mkdirSync(group, { recursive: true });
    writeFileSync(join(group, "memory.limit_in_bytes"), String(MEMORY_BYTES));
    try {
      await worker.end("SIGTERM");
      await worker.start({ APOLLO_WORKER_GROUPS: "default,small" });
      // What it starts from now on is in the group too.
      writeFileSync(join(group, "cgroup.procs"), String(worker.pid));
      await rig.ready();
      const alone = await rig.probe();
      const attempts = await isContained(stage, "poison-memory");
      stage.note(`a run of one node took ${Math.round(alone)} ms before`);
      const told = attempts.filter(({ error_code: code }) => /MEMORY|OOM/.test(code ?? ""));
      stage.expect(told.length > 0, "it is told that memory was the cause", attempts);
      stage.expect(worker.isRunning, "the worker lives on");
    } finally {
      await worker.end("SIGKILL");
      await worker.start();
      try {
        rmdirSync(group);
      } catch {
        // Something of it is still ending; an empty group harms nobody.
      }
    }
  },
};

export const poisonRows: readonly Row[] = [hungry, poisonous];
