import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { processesOf } from "../fixtures/processes";
import { beginStart, freePort, startProduct } from "../fixtures/product";

/** A start that is refused says why, ends with a failure, and leaves nothing behind it. */
async function expectRefusal(options: Parameters<typeof beginStart>[0], why: readonly (string | RegExp)[]): Promise<void> {
  const start = await beginStart(options);
  expect(await start.ended, start.output()).toBe(1);
  for (const words of why) expect(start.output()).toMatch(words);
  expect(start.output(), "words, and no trace of the code").not.toMatch(/^\s+at .*\.mjs/m);
  expect(start.output()).not.toContain("ready ");
  expect(processesOf(start.dataDir), "what is left running").toEqual([]);
  expect(existsSync(join(start.dataDir, "processes.json"))).toBe(false);
  rmSync(start.dataDir, { recursive: true, force: true });
}

test("a port in use is named with the way out, and nothing is left running (ECO-3)", async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
  try {
    await expectRefusal({ port }, [`Port ${port} is in use by another program`, `PORT=${port + 1} npm start`]);
  } finally {
    other.close();
  }
});

test("each wrong variable is named in one error, with what to write, and a password is not repeated (ECO-3, SEC-3)", async () => {
  await expectRefusal({ env: { APOLLO_LOG_LEVEL: "loud", APOLLO_WORKER_SLOTS: "many", DATABASE_URL: "mysql://me:hush@db/apollo" } }, [
    /APOLLO_LOG_LEVEL: "loud" is not a level; write one of fatal/,
    /APOLLO_WORKER_SLOTS: "many" is not a whole number/,
    /DATABASE_URL: its value is not a URL that starts with postgres/,
    /^(?![\s\S]*hush)/,
  ]);
});

test("a data folder that nobody can write to is named with its variable (ECO-3)", async () => {
  await expectRefusal({ dataDir: "/proc/apollo-11" }, ["Cannot write to /proc/apollo-11", "Set APOLLO_DATA_DIR"]);
});

test("an argument that is not known is refused with the usage (ECO-3)", async () => {
  await expectRefusal({ args: ["--demo"] }, ["--demo is not known", "npm start"]);
});

test("a second start on the same data folder is told who runs there, and the first goes on (ECO-3)", async () => {
  const product = await startProduct({ args: ["--no-demo"] });
  try {
    expect(product.pids(), "--no-demo leaves the demo out").not.toHaveProperty("demo");
    expect(product.signInLink).toBeDefined();
    const second = await beginStart({ dataDir: product.dataDir });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already runs on this data folder (process ${product.pids().supervisor})`);
    expect((await fetch(`${product.url}/api/health`)).status).toBe(200);
  } finally {
    await product.stop();
    product.remove();
  }
});
