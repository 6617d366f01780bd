import { randomBytes } from "node:crypto";
import { Journal } from "./journal.mjs";
import { refuseFullDisk, refusePort, refuseReadOnly } from "./preflight.mjs";
import { step } from "./progress.mjs";
import { Roll } from "./roll.mjs";
import { childEnvironment, demoPort, elsewhereFor, ownAddress, readSettings } from "./settings.mjs";
import { Supervisor } from "./supervisor.mjs";

/** What `npm start` and `npm run dev` stand on: checked settings, the roll, the log and a supervisor that a signal stops. */
export async function openGround({ root, source, stopping, mode, program, echo }) {
  const settings = await readSettings(root, source);
  refuseReadOnly(settings.dataDir, "APOLLO_DATA_DIR");
  refuseFullDisk(settings.dataDir, 200, "for the database");
  const bootId = randomBytes(12).toString("hex");
  const roll = new Roll(settings.dataDir);
  const { afterCrash } = await roll.enter(bootId);
  const journal = new Journal(settings.dataDir, echo);
  const supervisor = new Supervisor({ root, env: childEnvironment(settings, source, bootId, mode), journal, roll, program });
  stopping.take(() => supervisor.stop());
  return {
    supervisor,
    settings,
    // A program of a killed start may take a moment to let go of the port.
    refusePort: () => refusePort(settings.host, settings.port, afterCrash ? 8_000 : 0),
    untilReady: () => {
      const healthUrl = `${ownAddress(settings)}/api/health`;
      supervisor.watchWeb(healthUrl, bootId);
      return supervisor.untilReady(healthUrl, bootId);
    },
  };
}

export async function prepareDatabase({ supervisor, settings }, source) {
  if (!settings.databaseUrl) {
    await step("PostgreSQL up", () => supervisor.startPostgres(elsewhereFor(settings, source)));
  }
  await step("database migrated", () => supervisor.runOnce("migrate"));
  if (settings.demo) supervisor.shareEnv({ APOLLO_DEMO_PORT: String(await demoPort(settings)) });
}

/** Beside the clients' own start: they take up what is seeded as they would take any change. */
export async function seed({ supervisor }) {
  if (supervisor.has("seed")) await step("data seeded", () => supervisor.runOnce("seed"));
}

/** The link with which the first administrator signs in, or nothing once there is one. */
export async function firstAdminLink(supervisor) {
  if (!supervisor.has("first-admin-link")) return undefined;
  const said = await supervisor.runOnce("first-admin-link").catch((error) => {
    console.error(`  no sign-in link: ${error.message}`);
    return "";
  });
  return said.split("\n").find((line) => line.startsWith("http"));
}

/** One write, so that whoever reads the first line has the second one too. */
export function announce(settings, link) {
  console.log([`ready ${settings.baseUrl}`, ...(link ? [`sign in once: ${link}`] : [])].join("\n"));
}
