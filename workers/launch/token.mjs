// `npm run --silent token -- --project demo --role admin`: a service token on stdout and nothing else.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "./refusal.mjs";
import { childEnvironment, readSettings } from "./settings.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

try {
  if (!existsSync(join(root, "dist", "token.mjs"))) throw new Refusal("Apollo-11 is not built yet. Run `npm start` first.");
  const settings = await readSettings(root, process.env);
  const env = childEnvironment(settings, process.env, runningBootId(settings));
  env.DATABASE_URL ??= runningDatabase(settings);
  const child = spawn(process.execPath, [join(root, "dist", "token.mjs"), ...process.argv.slice(2)], { cwd: root, env, stdio: "inherit" });
  child.on("exit", (code) => process.exit(code ?? 1));
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exit(1);
}

function running(settings) {
  try {
    return JSON.parse(readFileSync(join(settings.dataDir, "processes.json"), "utf8"));
  } catch {
    throw new Refusal(
      `Apollo-11 does not run on ${settings.dataDir}. Start it with \`npm start\`, or set APOLLO_DATA_DIR or DATABASE_URL.`,
    );
  }
}

function runningDatabase(settings) {
  const { postmaster } = running(settings);
  if (!postmaster?.folder) throw new Refusal("The running Apollo-11 uses another database. Set DATABASE_URL to it.");
  const password = readFileSync(join(postmaster.folder, "password"), "utf8").trim();
  return `postgres://apollo:${password}@127.0.0.1:${postmaster.port}/apollo`;
}

function runningBootId(settings) {
  try {
    return running(settings).supervisor?.bootId ?? "tool";
  } catch {
    return "tool";
  }
}
