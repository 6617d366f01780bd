import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLING } from "../../../workers/launch/bundling.mjs";
import { isAlive } from "../../fixtures/processes";
import { REPO } from "../../fixtures/product";

export interface Programs {
  readonly scheduler: string;
  readonly worker: string;
  readonly web: string;
  readonly rogue: string;
  readonly clock: string;
  readonly handlers: string;
  remove(): void;
}

/** The product's programs, bundled as its build does, once for all rigs of a run; in the repository, so that packages are found. */
export async function bundlePrograms(): Promise<Programs> {
  const cache = join(REPO, "node_modules", ".cache");
  const folder = join(cache, `chaos-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(cache)) {
    const [, pid] = /^chaos-(\d+)$/.exec(name) ?? [];
    // Of a run that was killed outright.
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(cache, name), { recursive: true, force: true });
  }
  await build({
    ...BUNDLING,
    absWorkingDir: REPO,
    entryPoints: {
      scheduler: "workers/scheduler/main.ts",
      runner: "workers/runner/main.ts",
      child: "workers/runner/child.ts",
      sdk: "workers/sdk/index.ts",
      web: "e2e/chaos/programs/web.ts",
      rogue: "e2e/chaos/programs/rogue.ts",
      clock: "e2e/chaos/programs/clock.ts",
      "handlers/chaos-tasks": "e2e/chaos/programs/chaos-tasks.ts",
    },
    outdir: folder,
  });
  const at = (name: string) => join(folder, `${name}.mjs`);
  return {
    scheduler: at("scheduler"),
    worker: at("runner"),
    web: at("web"),
    rogue: at("rogue"),
    clock: at("clock"),
    handlers: join(folder, "handlers"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
