import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

export default defineConfig<object, { queue: "postgres" | "redis" }>({
  globalSetup: "./e2e/fixtures/build.ts",
  projects: [
    // On a product of its own, since the one-time link works once.
    { name: "first-day", testDir: "e2e/journeys", testMatch: "first-day.spec.ts" },
    { name: "journeys", testDir: "e2e/journeys", testIgnore: "first-day.spec.ts" },
    { name: "chaos", testDir: "e2e/chaos" },
    { name: "chaos-redis", testDir: "e2e/chaos", use: { queue: "redis" } },
    { name: "launch", testDir: "e2e/launch" },
  ],
  outputDir: "test-results",
  // One product at a time, on two cores.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  // Where CI runs, once more before it counts: whole products start there on a machine that others may load.
  retries: process.env.CI ? 1 : 0,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    locale: "en-US",
    timezoneId: "Asia/Shanghai",
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: chromium,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
});
