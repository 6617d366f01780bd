import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "./steps.mjs";

const repo = fileURLToPath(new URL("../../", import.meta.url));
const FLOORS = ["app", "server", "db", "workers", "e2e"];

/** Cruises a tree with the house's rules; `root` is another tree only where a test plants violations. */
export async function checkDirection(root = repo) {
  const floors = FLOORS.filter((floor) => existsSync(join(root, floor)));
  const cruiser = join(repo, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [cruiser, ...floors, "--config", join(repo, ".dependency-cruiser.cjs"), "--output-type", "json"];
  const { code, output } = await runProgram(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  if (!output.startsWith("{")) return { code: code || 1, modules: 0, violations: [], output };
  const { summary } = JSON.parse(output);
  const violations = summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    from,
    to: cycle ? cycle.map((step) => step.name).join(" → ") : to,
  }));
  return { ...verdict(summary, violations), modules: summary.totalCruised, violations };
}

function verdict(summary, violations) {
  if (summary.totalCruised === 0) {
    return { code: 1, output: "0 modules were cruised, so nothing was checked: is typescript a version that dependency-cruiser can use?" };
  }
  const comments = new Map(summary.ruleSetUsed.forbidden.map((rule) => [rule.name, rule.comment]));
  const lines = violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}\n    ${comments.get(rule) ?? ""}`);
  return { code: violations.length === 0 ? 0 : 1, output: lines.join("\n") };
}
