// `npm run dev`: everything from the sources, in one coloured log; Ctrl-C stops all of it.
import { existsSync, watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureBuilt, programs } from "../launch/build.mjs";
import { ENTRIES } from "../launch/entries.mjs";
import { announce, firstAdminLink, openGround, prepareDatabase, seed } from "../launch/ground.mjs";
import { install, isInstalled } from "../launch/install.mjs";
import { mendPostgres } from "../launch/mend-postgres.mjs";
import { refuseOldNode } from "../launch/preflight.mjs";
import { Refusal } from "../launch/refusal.mjs";
import { stopOnSignal } from "../launch/signals.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const COLOURS = [36, 33, 35, 32, 34, 31];
const RESTART_AFTER_MS = 200;
const LOOPS = ["scheduler", "worker-1", "worker-2", "demo"];

const coloured = new Map();

function echo(name, text) {
  if (!coloured.has(name)) coloured.set(name, COLOURS[coloured.size % COLOURS.length]);
  console.log(`\u001b[${coloured.get(name)}m${name.padEnd(10)}\u001b[0m ${text}`);
}

/** From the sources, without a build. */
function fromSource(name) {
  const source = ENTRIES[name];
  return source && existsSync(join(root, source)) ? ["--import", "tsx", source] : undefined;
}

function nextDev(settings) {
  const watcher = pathToFileURL(join(root, "workers/launch/parent-gone.mjs")).href;
  return ["--import", watcher, join(root, "node_modules/next/dist/bin/next"), "dev", "-H", settings.host, "-p", String(settings.port)];
}

/** Next follows its own sources; the loops are started again when theirs change. */
function restartOnChange(supervisor) {
  let timer;
  for (const floor of ["server", "db", "workers"]) {
    watch(join(root, floor), { recursive: true }, (_kind, file) => {
      if (!/\.ts$/.test(file ?? "") || /\.test\.ts$/.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => supervisor.restart(LOOPS), RESTART_AFTER_MS);
    });
  }
}

async function develop() {
  refuseOldNode();
  const stopping = stopOnSignal();
  if (!isInstalled(root)) await install(root, stopping.watch);
  mendPostgres();
  await ensureBuilt(programs(root), stopping.watch);
  const source = process.env;
  const ground = await openGround({ root, source, stopping, mode: "development", program: fromSource, echo });
  const { supervisor, settings } = ground;
  try {
    await ground.refusePort();
    await prepareDatabase(ground, source);
    supervisor.startClient("web", nextDev(settings));
    supervisor.startProgram("scheduler");
    supervisor.startProgram("worker-1", "runner", { APOLLO_WORKER_ID: "worker-1" });
    supervisor.startProgram("worker-2", "runner", { APOLLO_WORKER_ID: "worker-2" });
    if (settings.demo) supervisor.startProgram("demo", "demo-service");
    restartOnChange(supervisor);
    const [link] = await Promise.all([firstAdminLink(supervisor), seed(ground), ground.untilReady()]);
    if (!supervisor.isStopping) announce(settings, link);
  } catch (error) {
    if (supervisor.isStopping) return;
    await supervisor.stop();
    throw error;
  }
}

try {
  await develop();
} catch (error) {
  console.error(error instanceof Refusal ? `\n${error.message}` : error);
  process.exit(1);
}
