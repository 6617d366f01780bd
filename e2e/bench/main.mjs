// `npm run bench`: bundles the product's programs and the bench itself into a scratch folder, as `npm run build` bundles them, and runs it.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { BUNDLING } from "../../workers/launch/bundling.mjs";
import { ENTRIES } from "../../workers/launch/entries.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
// Inside node_modules, so that what is not bundled is found.
const folder = join(root, "node_modules", ".cache", `bench-${process.pid}`);

await build({
  ...BUNDLING,
  absWorkingDir: root,
  entryPoints: { ...ENTRIES, bench: "e2e/bench/bench.ts" },
  outdir: folder,
});

const child = spawn(process.execPath, ["--enable-source-maps", join(folder, "bench.mjs"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: ["inherit", "inherit", "inherit", "ipc"],
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
