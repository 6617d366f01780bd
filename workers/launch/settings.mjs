import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { portProblem } from "./preflight.mjs";
import { Refusal } from "./refusal.mjs";

/** Parses the environment with the product's own reader, so that there is one opinion of what is right. */
export async function readSettings(root, source) {
  const { parseEnv } = await import(pathToFileURL(join(root, "dist", "env.mjs")).href);
  try {
    return parseEnv(source);
  } catch (error) {
    throw new Refusal(error.message);
  }
}

/** What every child sees: the person's environment, with paths made absolute since the web works in another folder. */
export function childEnvironment(settings, source, bootId, mode = "production") {
  return {
    ...source,
    NODE_ENV: mode,
    NEXT_TELEMETRY_DISABLED: "1",
    PORT: String(settings.port),
    HOST: settings.host,
    APOLLO_DATA_DIR: settings.dataDir,
    APOLLO_BASE_URL: settings.baseUrl,
    APOLLO_SECRET_KEY_FILE: settings.secretKeyFile,
    // Everything ends within five seconds of a Ctrl-C: a node that takes longer is handed back.
    APOLLO_DRAIN_SECONDS: source.APOLLO_DRAIN_SECONDS?.trim() || "1",
    APOLLO_HANDLERS_DIR: settings.handlersDir,
    APOLLO_DEMO: settings.demo ? "on" : "off",
    APOLLO_BOOT_ID: bootId,
  };
}

/** The address at which this machine reaches its own web. */
export function ownAddress(settings) {
  const host = settings.host === "0.0.0.0" ? "127.0.0.1" : settings.host === "::" ? "[::1]" : settings.host;
  return `http://${host}:${settings.port}`;
}

/**
 * Where the embedded server lives when its user may not enter the default data folder, as with a clone under /root. A
 * folder that was named on purpose is never replaced.
 */
export function elsewhereFor(settings, source) {
  if (process.getuid?.() !== 0 || source.APOLLO_DATA_DIR?.trim()) return undefined;
  return join("/var/lib/apollo-11", createHash("sha256").update(settings.dataDir).digest("hex").slice(0, 12));
}

/** The demo's port stays the same over starts, since the seeded pipelines call it. */
export async function demoPort(settings) {
  if (settings.demoPort) return settings.demoPort;
  const file = join(settings.dataDir, "demo-port");
  if (existsSync(file)) return Number(readFileSync(file, "utf8"));
  for (let port = Math.max(1024, settings.port + 1); port < 65_535; port += 1) {
    if (await portProblem("127.0.0.1", port)) continue;
    writeFileSync(file, String(port));
    return port;
  }
  throw new Refusal("No free port for the demo service. Set APOLLO_DEMO_PORT, or start with --no-demo.");
}
