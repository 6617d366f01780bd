// Reads a .cpuprofile: what took the time, by function (its own time, and with all that it called) and by package.
import { readFileSync } from "node:fs";

const [file, top = "25"] = process.argv.slice(2);
if (!file) {
  console.error("node e2e/bench/hot.mjs FILE.cpuprofile [how many]");
  process.exit(2);
}
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8"));
const byId = new Map(nodes.map((node) => [node.id, node]));
const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
const placeOf = ({ callFrame: { functionName, url, lineNumber } }) =>
  `${functionName || "(anonymous)"} ${url.replace(/^.*node_modules\/(?!\.cache)/, "").replace(/^.*\/bench-\d+\//, "")}:${lineNumber + 1}`;
const packageOf = ({ callFrame: { functionName, url } }) =>
  /node_modules\/(?!\.cache)((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? (url.startsWith("node:") ? "node" : url === "" ? functionName : "ours");
const own = new Map();
const whole = new Map();
const packages = new Map();
const add = (map, key, ms) => map.set(key, (map.get(key) ?? 0) + ms);
samples.forEach((id, index) => {
  const ms = (timeDeltas[index] ?? 0) / 1_000;
  const node = byId.get(id);
  if (!node) return;
  add(own, placeOf(node), ms);
  add(packages, packageOf(node), ms);
  const seen = new Set();
  for (let at = id; at !== undefined; at = parents.get(at)) seen.add(placeOf(byId.get(at)));
  for (const place of seen) add(whole, place, ms);
});
const idle = own.get("(idle) :0") ?? 0;
const total = [...own.values()].reduce((sum, ms) => sum + ms, 0) - idle;
const show = (title, map) => {
  console.log(`\n${title} (ms, share of ${Math.round(total)} ms busy)`);
  const rows = [...map].filter(([name]) => !name.startsWith("(idle)") && !name.startsWith("(root)")).sort((a, b) => b[1] - a[1]);
  for (const [name, ms] of rows.slice(0, Number(top)))
    console.log(`${ms.toFixed(0).padStart(8)} ${((ms / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
};
show("by package, own time", packages);
show("by function, own time", own);
show("by function, with what it called", whole);
