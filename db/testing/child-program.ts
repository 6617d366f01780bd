import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

/** The handlers' child process as the product runs it, bundled once for a test file. */
export async function bundleChild(): Promise<{ readonly entry: string; remove(): Promise<void> }> {
  const folder = join(process.cwd(), "node_modules", ".cache", `child-${process.pid}`);
  await build({
    entryPoints: { child: "workers/runner/child.ts", sdk: "workers/sdk/index.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
  });
  return { entry: join(folder, "child.mjs"), remove: () => rm(folder, { recursive: true, force: true }) };
}
