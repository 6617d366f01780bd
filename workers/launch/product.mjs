import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt, programs, web } from "./build.mjs";
import { announce, firstAdminLink, openGround, prepareDatabase, seed } from "./ground.mjs";
import { install, isInstalled } from "./install.mjs";
import { mendPostgres } from "./mend-postgres.mjs";
import { refuseFullDisk, refusePort, refuseReadOnly } from "./preflight.mjs";
import { step } from "./progress.mjs";
import { Refusal } from "./refusal.mjs";
import { stopOnSignal } from "./signals.mjs";
import { webArgs } from "./supervisor.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const USAGE = "Usage: npm start [-- --no-demo]";

/** From whatever is there to `ready`; returns while everything runs, and ends the process when told to stop. */
export async function startProduct(args) {
  const unknown = args.find((arg) => arg !== "--no-demo");
  if (unknown) throw new Refusal(`${unknown} is not known. ${USAGE}`);
  const source = { ...process.env, ...(args.includes("--no-demo") ? { APOLLO_DEMO: "off" } : {}) };
  const stopping = stopOnSignal();
  await prepare(source, stopping);
  await ensureBuilt(programs(root), stopping.watch);
  const ground = await openGround({ root, source, stopping, program: bundled });
  const { supervisor, settings } = ground;
  try {
    await ground.refusePort();
    await Promise.all([buildWeb(stopping), prepareDatabase(ground, source)]);
    startClients(supervisor, settings);
    const [link] = await Promise.all([firstAdminLink(supervisor), seed(ground), ground.untilReady()]);
    if (!supervisor.isStopping) announce(settings, link);
  } catch (error) {
    if (supervisor.isStopping) return;
    await supervisor.stop();
    throw error;
  }
}

/** Packages and builds; with a port that is plainly taken, says so before the minute that they take. */
async function prepare(source, stopping) {
  refuseReadOnly(root);
  const installed = isInstalled(root);
  if (!installed) refuseFullDisk(root, 2_500, "to install and build");
  const port = Number(source.PORT || 3000);
  if (!existsSync(join(root, "dist")) && Number.isInteger(port) && port > 0 && port < 65_536) {
    await refusePort(source.HOST || "127.0.0.1", port);
  }
  if (!installed) await step("packages installed", () => install(root, stopping.watch));
  mendPostgres();
}

/** The long part of a first start, beside which the database is made ready. */
async function buildWeb(stopping) {
  const product = web(root);
  if (!product.isCurrent()) await step("console built", () => product.build(stopping.watch));
}

function startClients(supervisor, settings) {
  supervisor.startClient("web", webArgs(root), { HOSTNAME: settings.host });
  supervisor.startProgram("scheduler");
  supervisor.startProgram("worker", "runner");
  if (settings.demo) supervisor.startProgram("demo", "demo-service");
}

function bundled(name) {
  const path = join(root, "dist", `${name}.mjs`);
  return existsSync(path) ? ["--enable-source-maps", path] : undefined;
}
