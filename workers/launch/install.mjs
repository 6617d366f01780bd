import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./refusal.mjs";
import { runProgram } from "./steps.mjs";

/** Whether node_modules holds what package-lock.json asks for; npm writes its own list last, so a cut-off install shows. */
export function isInstalled(root) {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const found = JSON.parse(readFileSync(installed, "utf8")).packages;
  return Object.entries(wanted).every(([path, { version, optional, peer }]) => {
    if (path === "" || found[path]?.version === version) return true;
    return (optional || peer) && !found[path];
  });
}

export async function install(root, onChild) {
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith(".js") ? [process.execPath, [npm]] : ["npm", []];
  const { code, output } = await runProgram(command, [...first, "ci", "--include=dev", "--no-audit", "--no-fund"], {
    cwd: root,
    env: { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
    onChild,
  });
  if (code === 0) return;
  throw new Refusal(`npm could not install the packages:\n${output.trimEnd().split("\n").slice(-15).join("\n")}`);
}
