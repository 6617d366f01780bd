import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt, programs, web } from "./build.mjs";
import { install, isInstalled } from "./install.mjs";
import { Journal } from "./journal.mjs";
import { mendPostgres } from "./mend-postgres.mjs";
import { refuseFullDisk, refusePort, refuseReadOnly } from "./preflight.mjs";
import { step } from "./progress.mjs";
import { Refusal } from "./refusal.mjs";
import { Roll } from "./roll.mjs";
import { childEnvironment, demoPort, elsewhereFor, ownAddress, readSettings } from "./settings.mjs";
import { Supervisor, webArgs } from "./supervisor.mjs";

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
  const settings = await readSettings(root, source);
  refuseReadOnly(settings.dataDir, "APOLLO_DATA_DIR");
  refuseFullDisk(settings.dataDir, 200, "for the database");
  const bootId = randomBytes(12).toString("hex");
  const roll = new Roll(settings.dataDir);
  const { afterCrash } = await roll.enter(bootId);
  const journal = new Journal(settings.dataDir);
  const supervisor = new Supervisor({ root, env: childEnvironment(settings, source, bootId), journal, roll });
  stopping.take(() => supervisor.stop());
  try {
    await refusePort(settings.host, settings.port, afterCrash ? 8_000 : 0);
    await Promise.all([buildWeb(stopping), prepareDatabase(supervisor, settings, source)]);
    startClients(supervisor, settings);
    await supervisor.untilReady(`${ownAddress(settings)}/api/health`, bootId);
    if (supervisor.isStopping) return;
    const link = await firstAdminLink(supervisor);
    console.log([`ready ${settings.baseUrl}`, ...(link ? [`sign in once: ${link}`] : [])].join("\n"));
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
  const port = /^\d{1,5}$/.test(source.PORT ?? "3000") ? Number(source.PORT ?? 3000) : undefined;
  if (port && !existsSync(join(root, "dist")) && port < 65_536) await refusePort(source.HOST || "127.0.0.1", port);
  if (!installed) await step("packages installed", () => install(root, stopping.watch));
  mendPostgres();
}

/** The long part of a first start, beside which the database is made ready. */
async function buildWeb(stopping) {
  const product = web(root);
  if (!product.isCurrent()) await step("console built", () => product.build(stopping.watch));
}

async function prepareDatabase(supervisor, settings, source) {
  if (!settings.databaseUrl) {
    await step("PostgreSQL up", () => supervisor.startPostgres(elsewhereFor(settings, source)));
  }
  await step("database migrated", () => supervisor.runOnce("migrate"));
  if (settings.demo) supervisor.shareEnv({ APOLLO_DEMO_PORT: String(await demoPort(settings)) });
  if (isThere("seed")) await step("data seeded", () => supervisor.runOnce("seed"));
}

function startClients(supervisor, settings) {
  supervisor.startClient("web", webArgs(root));
  if (isThere("scheduler")) supervisor.startClient("scheduler", [join("dist", "scheduler.mjs")]);
  if (isThere("runner")) supervisor.startClient("worker", [join("dist", "runner.mjs")]);
  if (settings.demo && isThere("demo-service")) supervisor.startClient("demo", [join("dist", "demo-service.mjs")]);
}

async function firstAdminLink(supervisor) {
  if (!isThere("first-admin-link")) return undefined;
  const said = await supervisor.runOnce("first-admin-link").catch((error) => {
    console.error(`  no sign-in link: ${error.message}`);
    return "";
  });
  return said.split("\n").find((line) => line.startsWith("http"));
}

function isThere(program) {
  return existsSync(join(root, "dist", `${program}.mjs`));
}

/** Ends everything once, whichever of several signals arrives, also when the npm that started us is gone. */
function stopOnSignal() {
  let stop = async () => undefined;
  const watched = new Set();
  let told = false;
  const onSignal = () => {
    if (told) return;
    told = true;
    for (const child of watched) child.kill("SIGTERM");
    stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, onSignal);
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && onSignal(), 500).unref();
  return {
    take: (work) => {
      stop = work;
    },
    watch: (child) => {
      watched.add(child);
      child.once("exit", () => watched.delete(child));
    },
  };
}
