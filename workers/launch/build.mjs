// Builds what changed since the last build: the web product and the bundles of every other program.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUNDLING } from "./bundling.mjs";
import { presentEntries } from "./entries.mjs";
import { Refusal } from "./refusal.mjs";
import { runProgram } from "./steps.mjs";

const SHARED_SOURCES = ["server", "db", "package-lock.json", "tsconfig.json"];
const WEB_SOURCES = [
  "app",
  "public",
  "instrumentation.ts",
  "instrumentation-client.ts",
  "proxy.ts",
  "next.config.ts",
  "postcss.config.mjs",
];
const PROGRAM_SOURCES = ["workers", "app/_words"];

function* filesUnder(root, path) {
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (!readdirSafe(full)) return yield path;
  for (const name of readdirSafe(full).sort()) yield* filesUnder(root, `${path}/${name}`);
}

function readdirSafe(path) {
  try {
    return readdirSync(path);
  } catch (error) {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function fingerprint(root, sources) {
  const hash = createHash("sha256").update(process.versions.node.split(".")[0]);
  for (const source of sources) {
    for (const path of filesUnder(root, source)) {
      if (/\.test\.(tsx?|mjs)$|^db\/testing\//.test(path)) continue;
      hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
    }
  }
  return hash.digest("hex");
}

function part(root, marker, sources, make) {
  const path = join(root, marker);
  const wanted = fingerprint(root, sources);
  return {
    isCurrent: () => existsSync(path) && readFileSync(path, "utf8") === wanted,
    // The mark goes first and comes back last: a build that was cut off is done again.
    build: async (onChild) => {
      rmSync(path, { force: true });
      await make(root, onChild);
      writeFileSync(path, wanted);
    },
  };
}

/** The console and the API: most of a minute on two cores. */
export const web = (root) => part(root, ".next/apollo-build", [...SHARED_SOURCES, ...WEB_SOURCES], buildWeb);
/** Every other program: a second's work, and all that the database's part of a start needs. */
export const programs = (root) =>
  part(root, "dist/apollo-build", [...SHARED_SOURCES, ...PROGRAM_SOURCES, "workers/launch/entries.mjs"], buildPrograms);

export async function build(root, onChild) {
  await Promise.all([ensureBuilt(programs(root), onChild), ensureBuilt(web(root), onChild)]);
}

export async function ensureBuilt(each, onChild) {
  if (!each.isCurrent()) await each.build(onChild);
}

async function buildWeb(root, onChild) {
  const next = join(root, "node_modules/next/dist/bin/next");
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  const { code, output } = await runProgram(process.execPath, [next, "build"], { cwd: root, env, onChild });
  if (code !== 0) throw new Refusal(`next build failed:\n${output.trimEnd().split("\n").slice(-40).join("\n")}`);
  // The standalone server serves these, and the build leaves the copying to us.
  const standalone = join(root, ".next/standalone");
  cpSync(join(root, ".next/static"), join(standalone, ".next/static"), { recursive: true });
  if (existsSync(join(root, "public"))) cpSync(join(root, "public"), join(standalone, "public"), { recursive: true });
}

async function buildPrograms(root) {
  const { build: bundle } = await import("esbuild");
  rmSync(join(root, "dist"), { recursive: true, force: true });
  mkdirSync(join(root, "dist"), { recursive: true });
  try {
    await bundle({
      ...BUNDLING,
      absWorkingDir: root,
      entryPoints: presentEntries(root),
      outdir: "dist",
    });
  } catch (error) {
    throw new Refusal(`The programs could not be bundled:\n${error.message}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  try {
    await build(root);
    console.log("built");
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}
