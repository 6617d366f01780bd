import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Played, play } from "./play";
import { bundlePrograms, type Programs } from "./rig/programs";
import { Random } from "./rig/random";
import { type Backend, Rig } from "./rig/rig";
import { ROWS } from "./rows/all";
import type { Row } from "./rows/row";
import { lineOf, summaryOf } from "./tell";

const USAGE = `Usage: npm run chaos -- [--rows F1,F5] [--backend redis|postgres|both] [--seeds N] [--seed X] [--short] [--again] [--report FILE]`;

interface Choice {
  readonly rows: readonly Row[];
  readonly backends: readonly Backend[];
  readonly seeds: readonly number[];
  readonly isShort: boolean;
  /** A row that missed a time is played once more; one that broke an invariant never is. */
  readonly again: boolean;
  readonly report: string;
}

function choose(): Choice {
  const { values } = parseArgs({
    options: {
      rows: { type: "string" },
      backend: { type: "string", default: "both" },
      seeds: { type: "string", default: "1" },
      seed: { type: "string" },
      short: { type: "boolean", default: false },
      again: { type: "boolean", default: false },
      report: { type: "string", default: ".cache/reports/chaos.json" },
    },
  });
  const isShort = values.short;
  const wanted = values.rows?.split(",").map((id) => id.trim().toUpperCase());
  const unknown = wanted?.filter((id) => !ROWS.some((row) => row.id === id)) ?? [];
  if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: no such row; there are ${ROWS.map(({ id }) => id).join(", ")}`);
  const backends = { redis: ["redis"], postgres: ["postgres"], both: ["postgres", "redis"] }[values.backend] as Backend[] | undefined;
  if (!backends) throw new Error(`--backend is redis, postgres or both`);
  // A rotating seed: another each day, the same for all runs of it, and printed.
  const first = Number(values.seed ?? Math.floor(Date.now() / 86_400_000));
  return {
    rows: ROWS.filter((row) => (wanted ? wanted.includes(row.id) : !isShort || row.short)),
    backends,
    seeds: Array.from({ length: Number(values.seeds) }, (_, n) => first + n),
    isShort,
    again: values.again,
    report: values.report,
  };
}

const stopping = { asked: false };
const open = new Set<Rig>();

async function playBackend(programs: Programs, backend: Backend, seed: number, choice: Choice): Promise<Played[]> {
  const isHere = ({ only, shortOn }: Row) => (only ?? backend) === backend && (!choice.isShort || (shortOn ?? backend) === backend);
  const rows = choice.rows.filter(isHere);
  const played: Played[] = [];
  if (rows.length === 0) return played;
  const rig = new Rig({ backend, programs, random: new Random(seed), loadEveryMs: choice.isShort ? 500 : 350 });
  open.add(rig);
  try {
    const fromMs = performance.now();
    await rig.open();
    console.log(`-- ${backend}, seed ${seed}: the rig stands after ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`);
    for (const row of rows) {
      if (stopping.asked) break;
      let each = await play(rig, row, { isShort: choice.isShort, seed });
      console.log(lineOf(each));
      if (each.verdict === "failed") keepLogs(rig, each);
      if (each.verdict === "failed" && choice.again && each.violations.length === 0) {
        each = await play(rig, row, { isShort: choice.isShort, seed });
        console.log(`once more:\n${lineOf(each)}`);
      }
      played.push(each);
    }
  } finally {
    await rig.close();
    open.delete(rig);
  }
  return played;
}

/** The last that each process said, beside the report. */
function keepLogs(rig: Rig, { row, backend }: Played): void {
  const folder = `.cache/reports/chaos-logs/${backend}-${row}`;
  mkdirSync(folder, { recursive: true });
  for (const member of rig.members.values()) writeFileSync(`${folder}/${member.name}.log`, member.said().slice(-200_000));
  console.log(`   the logs of its processes are in ${folder}`);
}

async function main(): Promise<number> {
  const choice = choose();
  const fromMs = performance.now();
  console.log(`chaos: ${choice.rows.map(({ id }) => id).join(" ")} on ${choice.backends.join(" and ")}, seed ${choice.seeds.join(", ")}`);
  const programs = await bundlePrograms();
  const played: Played[] = [];
  const stop = () => {
    stopping.asked = true;
    void Promise.all([...open].map((rig) => rig.close())).finally(() => {
      programs.remove();
      process.exit(130);
    });
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    for (const seed of choice.seeds) {
      for (const backend of choice.backends) played.push(...(await playBackend(programs, backend, seed, choice)));
    }
  } finally {
    programs.remove();
    const passed = played.filter(({ verdict }) => verdict === "passed").length;
    const failed = played.filter(({ verdict }) => verdict === "failed").length;
    mkdirSync(dirname(choice.report), { recursive: true });
    const machine = { cores: availableParallelism(), node: process.version };
    writeFileSync(choice.report, JSON.stringify({ passed, failed, machine, tookMs: performance.now() - fromMs, played }, null, 2));
    console.log(summaryOf(played, performance.now() - fromMs));
  }
  return played.every(({ verdict }) => verdict !== "failed") && played.length > 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? `${error.message}\n${USAGE}` : error);
  process.exitCode = 1;
}
