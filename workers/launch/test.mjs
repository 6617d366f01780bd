// `npm test`: everything, from a fresh clone; ends with one line, `N passed, N failed`.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { install, isInstalled } from "./install.mjs";
import { mendPostgres } from "./mend-postgres.mjs";
import { refuseOldNode } from "./preflight.mjs";
import { Refusal } from "./refusal.mjs";
import { runProgram, seconds } from "./steps.mjs";
import { tallyChaos, tallyPlaywright, tallyVitest } from "./tally.mjs";
import { ensureTools } from "./tools.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const reports = join(root, ".cache", "reports");
const totals = { passed: 0, failed: 0 };

/** Nothing of the person's own set-up may leak into a test. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DATABASE_URL|REDIS_URL|PORT|HOST|NODE_ENV|APOLLO_.*|PG[A-Z]+)$/.test(name)),
);

async function suite(name, work) {
  const startedMs = performance.now();
  console.log(`\n== ${name}`);
  let outcome;
  try {
    outcome = await work();
  } catch (error) {
    outcome = { passed: 0, failed: 1, notes: [error instanceof Refusal ? error.message : (error.stack ?? String(error))] };
  }
  totals.passed += outcome.passed;
  totals.failed += outcome.failed;
  for (const note of outcome.notes) console.log(note);
  console.log(`== ${name}: ${outcome.passed} passed, ${outcome.failed} failed in ${seconds(startedMs)}`);
  return outcome.failed === 0;
}

const MINUTE_MS = 60_000;
/** A suite that hangs is a failure too; its report is missing then. */
const LIMITS_MS = { check: 15 * MINUTE_MS, vitest: 20 * MINUTE_MS, chaos: 20 * MINUTE_MS, playwright: 40 * MINUTE_MS };

const run = (args, limitMs, more = {}) =>
  runProgram(process.execPath, args, { cwd: root, show: true, limitMs, env: { ...env, ...plain(), ...more } });

/** Colours are for a terminal. */
function plain() {
  return process.stdout.isTTY ? {} : { NO_COLOR: "1", FORCE_COLOR: "0" };
}

/** Steps of the check count as failures when red; its unit tests are counted one by one. */
async function check() {
  const report = join(reports, "unit.json");
  const { code, output } = await run(["workers/launch/check.mjs", `--report=${report}`], LIMITS_MS.check);
  const unit = tallyVitest(report, 0);
  const redSteps = [...output.matchAll(/^FAILED (\w+)/gm)].map(([, step]) => step).filter((step) => step !== "unit" || unit.failed === 0);
  const failed = unit.failed + redSteps.length;
  return { passed: unit.passed, failed: failed || (code === 0 ? 0 : 1), notes: unit.notes };
}

async function vitest(project) {
  const report = join(reports, `${project}.json`);
  const args = ["run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await run(["node_modules/vitest/vitest.mjs", ...args], LIMITS_MS.vitest);
  return tallyVitest(report, code);
}

/** Each row of the fault matrix that was played is a test; one that a loaded machine failed is played once more where CI runs. */
async function chaos() {
  const report = join(reports, "chaos.json");
  const args = ["--import", "tsx", "e2e/chaos/main.ts", "--short", `--report=${report}`, ...(process.env.CI ? ["--again"] : [])];
  const { code } = await run(args, LIMITS_MS.chaos);
  return tallyChaos(report, code);
}

async function playwright() {
  await build(root);
  const report = join(reports, "e2e.json");
  const { code } = await run(["node_modules/@playwright/test/cli.js", "test", "--reporter=list,json"], LIMITS_MS.playwright, {
    PLAYWRIGHT_JSON_OUTPUT_NAME: report,
  });
  return tallyPlaywright(report, code);
}

const startedMs = performance.now();
try {
  refuseOldNode();
  await ensureTools();
  if (!isInstalled(root)) await install(root);
  mendPostgres();
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  await suite("check", check);
  await suite("db", () => vitest("db"));
  await suite("queue", () => vitest("queue"));
  await suite("chaos", chaos);
  await suite("e2e", playwright);
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  totals.failed += 1;
}
console.log(`\nin ${seconds(startedMs)}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);
