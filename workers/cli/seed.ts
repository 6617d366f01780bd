import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { seedDemo, seedFirstProject } from "@/server/engine/demo/seed-demo";
import { runTool } from "./tool";

/** Bundled into dist/ or run as it stands here: the definitions lie in the repository either way. */
const folder = ["../db/seed/demo", "../../db/seed/demo"].map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);

await runTool("demo", async (ctx, { env }) => {
  if (env.demo && env.demoPort !== undefined && folder)
    await seedDemo(ctx, { port: env.demoPort, definitions: await readDefinitions(folder) });
  else await seedFirstProject(ctx);
});

async function readDefinitions(from: string) {
  const files = (await readdir(from)).filter((file) => file.endsWith(".yaml")).sort();
  return Promise.all(files.map(async (file) => ({ name: basename(file, ".yaml"), text: await readFile(join(from, file), "utf8") })));
}
