/**
 * Every program that is bundled, by the name of its file in dist/. Paths beside one another stay so: a program may find
 * another as `new URL("./child.mjs", import.meta.url)`.
 */
export const ENTRIES = {
  env: "server/env.ts",
  postgres: "workers/cli/postgres.ts",
  migrate: "workers/cli/migrate.ts",
  seed: "workers/cli/seed.ts",
  token: "workers/cli/token.ts",
  "first-admin-link": "workers/cli/first-admin-link.ts",
  scheduler: "workers/scheduler/main.ts",
  runner: "workers/runner/main.ts",
  child: "workers/runner/child.ts",
  sdk: "workers/sdk/index.ts",
  "handlers-demo/orders": "workers/handlers-demo/orders.ts",
  "demo-service": "workers/demo-service/main.ts",
};
