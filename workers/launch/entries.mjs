import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Every program that is bundled, by the name of its file in dist/. What stands beside one another stays so: a program
 * finds another as `new URL("./child.mjs", import.meta.url)`.
 */
export const ENTRIES = {
  env: "server/env.ts",
  postgres: "workers/cli/postgres.ts",
  migrate: "workers/cli/migrate.ts",
  seed: "workers/cli/seed.ts",
  token: "workers/cli/token.ts",
  "check-codes": "workers/cli/check-codes.ts",
  "first-admin-link": "workers/cli/first-admin-link.ts",
  scheduler: "workers/scheduler/main.ts",
  runner: "workers/runner/main.ts",
  child: "workers/runner/child.ts",
  sdk: "workers/sdk/index.ts",
  "demo-service": "workers/demo-service/main.ts",
};

const DEMO_HANDLERS = "workers/handlers-demo";

/** The entries whose sources exist, and every file of demo handlers under a folder of its own. */
export function presentEntries(root) {
  const demo = existsSync(join(root, DEMO_HANDLERS)) ? readdirSync(join(root, DEMO_HANDLERS)) : [];
  const handlers = demo
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => [`handlers-demo/${file.slice(0, -3)}`, `${DEMO_HANDLERS}/${file}`]);
  return Object.fromEntries([...Object.entries(ENTRIES), ...handlers].filter(([, source]) => existsSync(join(root, source))));
}
