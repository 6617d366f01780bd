import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLING } from "../../workers/launch/bundling.mjs";

interface Bundle {
  readonly folder: string;
  remove(): Promise<void>;
}

let made = 0;

/** Programs as the product runs them, bundled once for a test file; inside the repository, so that packages are found. */
async function bundle(entries: Readonly<Record<string, string>>): Promise<Bundle> {
  const folder = join(process.cwd(), "node_modules", ".cache", `bundle-${process.pid}-${++made}`);
  await build({
    ...BUNDLING,
    entryPoints: { ...entries },
    outdir: folder,
  });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

const CHILD = { child: "workers/runner/child.ts", sdk: "workers/sdk/index.ts" };

/** The handlers' child process. */
export async function bundleChild(): Promise<{ readonly entry: string; remove(): Promise<void> }> {
  const { folder, remove } = await bundle(CHILD);
  return { entry: join(folder, "child.mjs"), remove };
}

/** The whole worker process. */
export async function bundleWorker(): Promise<{ readonly entry: string; remove(): Promise<void> }> {
  const { folder, remove } = await bundle({
    ...CHILD,
    runner: "workers/runner/main.ts",
    "handlers-demo/orders": "workers/handlers-demo/orders.ts",
  });
  return { entry: join(folder, "runner.mjs"), remove };
}

/** Scheduler and worker processes, for tests that start several of both. */
export async function bundleEngine(): Promise<{ readonly scheduler: string; readonly worker: string; remove(): Promise<void> }> {
  const { folder, remove } = await bundle({ ...CHILD, runner: "workers/runner/main.ts", scheduler: "workers/scheduler/main.ts" });
  return { scheduler: join(folder, "scheduler.mjs"), worker: join(folder, "runner.mjs"), remove };
}
