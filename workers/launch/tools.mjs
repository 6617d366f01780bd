import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Refusal } from "./refusal.mjs";
import { runProgram } from "./steps.mjs";

/** What the tests need beside Node, and how each is known to be there. */
const TOOLS = [
  { debian: "chromium", what: "Chromium", isThere: () => onPath("chromium") || onPath("chromium-browser") },
  { debian: "fonts-noto-cjk", what: "Noto CJK fonts", isThere: () => hasFont("/usr/share/fonts") || hasFont("/usr/local/share/fonts") },
  { debian: "redis-server", what: "redis-server", isThere: () => onPath("redis-server") },
];

export async function ensureTools() {
  const missing = TOOLS.filter((tool) => !tool.isThere());
  if (missing.length === 0) return;
  const packages = missing.map((tool) => tool.debian);
  if (process.getuid?.() !== 0 || !isDebian()) throw new Refusal(howToInstall(missing));
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await runProgram("apt-get", ["update", "-q"], { env });
  const { code, output } = await runProgram("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...packages], { env });
  const still = TOOLS.filter((tool) => !tool.isThere());
  if (code !== 0 || still.length > 0)
    throw new Refusal(`${howToInstall(missing)}\napt-get said:\n${output.split("\n").slice(-8).join("\n")}`);
}

function howToInstall(missing) {
  const names = missing.map((tool) => tool.what).join(", ");
  const packages = missing.map((tool) => tool.debian).join(" ");
  return `The tests need ${names}. On Debian or Ubuntu: sudo apt-get install ${packages}. On macOS: brew install --cask chromium && brew install redis.`;
}

function onPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

function hasFont(folder) {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true }).some((path) => /Noto(Sans|Serif)(CJK|SC)/i.test(String(path)));
}

function isDebian() {
  return existsSync("/etc/os-release") && /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync("/etc/os-release", "utf8"));
}
