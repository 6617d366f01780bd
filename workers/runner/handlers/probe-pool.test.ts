import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleChild } from "@/db/testing/programs";
import { until } from "@/db/testing/wait";
import { inheritedEnvironment } from "@/server/env";
import { HandlerPool } from "./handler-pool";
import { probePool } from "./probe-pool";

const TASKS = `
import { writeFileSync } from "node:fs";
import { defineTask, z } from "apollo-11/sdk";
export const block = defineTask({ name: "block", input: z.any(), output: z.any(), run: (ctx, file) => { writeFileSync(file, ""); for (;;) {} } });
`;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let folder: string;
let child: Awaited<ReturnType<typeof bundleChild>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "probe-"));
  await writeFile(join(folder, "tasks.mjs"), TASKS);
  child = await bundleChild();
});
afterAll(async () => {
  await child.remove();
  await rm(folder, { recursive: true });
});

const withPool = async (execArgv: string[], use: (pool: HandlerPool) => Promise<void>) => {
  const program = { entry: child.entry, execArgv, folders: [folder], env: inheritedEnvironment() };
  const pool = new HandlerPool({ program, size: 1, log: quiet });
  const { tasks } = await pool.start();
  expect(tasks.map(({ name }) => name)).toEqual(["block"]);
  try {
    await use(pool);
  } finally {
    await pool.close();
  }
};

test("a probe succeeds where a handler process answers and gets its memory, and is offered to nobody as a task (EXC-6)", async () => {
  await withPool([], async (pool) => {
    expect(await probePool(pool, "p-1")).toEqual({ ok: true, note: "a handler process answered and had 8388608 bytes" });
  });
});

test("a probe fails where the handler process is blocked, and what runs in it is left alone (EXC-6)", async () => {
  await withPool([], async (pool) => {
    const begun = join(folder, "begun");
    const call = {
      task: "block",
      inputJson: JSON.stringify(begun),
      executionId: "e",
      token: 1,
      attempt: 1,
      runId: "r",
      nodeKey: "n",
      traceparent: "",
    };
    const nothing = () => undefined;
    const blocked = pool.run({ ...call, onLog: nothing, onProgress: nothing, onRetried: nothing }, new AbortController().signal);
    await until("the task blocks its process", () =>
      access(begun).then(
        () => true,
        () => false,
      ),
    );
    expect(await probePool(pool, "p-2", 300)).toEqual({ ok: false, note: "no handler process answered within 0.3 s" });
    expect(await Promise.race([blocked, Promise.resolve("still at work")])).toBe("still at work");
  });
});
