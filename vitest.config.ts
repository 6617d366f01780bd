import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("./", import.meta.url));
const everywhere = ["app", "server", "db", "workers"].map((floor) => `${floor}/**/*`);
const named = (suffix: string) => everywhere.map((path) => `${path}.${suffix}`);
// Real processes, clocks and leases on a machine that others may load: there, once more before it counts.
const retries = process.env.CI ? 1 : 0;
const needsServices = ["**/*.db.test.ts", "**/*.queue.test.ts"];

export default defineConfig({
  resolve: { alias: { "@/": root } },
  test: {
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          environment: "node",
          include: named("test.{ts,tsx,mjs}"),
          exclude: needsServices,
          // Pure tests share nothing that they change, and loading the modules once halves the time.
          isolate: false,
          maxWorkers: 2,
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: "db",
          environment: "node",
          include: named("db.test.ts"),
          globalSetup: ["db/testing/global-setup.ts"],
          testTimeout: 30_000,
          retry: retries,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: "queue",
          environment: "node",
          include: named("queue.test.ts"),
          globalSetup: ["db/testing/global-setup.ts", "workers/launch/scratch-redis.ts"],
          testTimeout: 60_000,
          retry: retries,
          hookTimeout: 60_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
