import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryDoorbell } from "../../server/adapters/doorbell-memory";
import { memoryLiveFeed } from "../../server/adapters/live-feed-memory";
import type { Ctx } from "../../server/engine/context";
import { listWorkers } from "../../server/engine/workers/list-workers";
import { inheritedEnvironment } from "../../server/env";
import { createRunner } from "../../workers/runner/runner";
import type { RunnerOptions } from "../../workers/runner/runner-options";
import type { Service } from "../../workers/service";
import { testCtx } from "./ctx";
import { openTestDatabase, type TestDatabase } from "./database";
import { bundleChild, bundleWorker } from "./programs";
import { until } from "./wait";

interface Ground {
  readonly database: TestDatabase;
  readonly ctx: Ctx;
  /** The data folder of its workers. */
  readonly folder: string;
  close(): Promise<void>;
}

export interface WorkerProcesses extends Ground {
  /** A worker process of this name, which lives by now. */
  begin(id: string, env?: Readonly<Record<string, string>>): Promise<ChildProcess>;
  isLive(id: string): Promise<unknown>;
}

/** Worker processes as the product starts them, on a database of their own; those that are left are killed at the close. */
export async function openWorkerProcesses(): Promise<WorkerProcesses> {
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  const [database, program] = await Promise.all([openTestDatabase(), bundleWorker()]);
  const ctx = testCtx(database.db);
  const started: ChildProcess[] = [];
  const lives = (id: string, pid?: number) =>
    until(
      `${id} lives`,
      async () => (await listWorkers(ctx)).workers.some((each) => each.id === id && each.isLive && (pid === undefined || each.pid === pid)),
      30_000,
    );
  return {
    ...{ database, ctx, folder },
    begin: async (id, more = {}) => {
      const own = { DATABASE_URL: database.url, APOLLO_DATA_DIR: folder, APOLLO_WORKER_ID: id, APOLLO_LOG_LEVEL: "silent" };
      const env = { ...inheritedEnvironment(), ...own, ...more } as unknown as NodeJS.ProcessEnv;
      const child = spawn(process.execPath, [program.entry], { env, stdio: "ignore" });
      started.push(child);
      await lives(id, child.pid);
      return child;
    },
    isLive: (id) => lives(id),
    close: async () => {
      for (const child of started) child.kill("SIGKILL");
      await Promise.all([database.close(), program.remove(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

export interface HandlerWorker extends Ground {
  /** A worker in this process that offers the tasks. */
  start(more: Pick<RunnerOptions, "id"> & Partial<RunnerOptions>): Promise<Service>;
}

/** What a worker with handlers of its own needs; `tasks` is the source of their file. */
export async function openHandlerWorker(tasks: string): Promise<HandlerWorker> {
  const folder = await mkdtemp(join(tmpdir(), "handlers-"));
  await writeFile(join(folder, "tasks.mjs"), tasks);
  const [database, child] = await Promise.all([openTestDatabase(), bundleChild()]);
  const ctx = testCtx(database.db, { ports: { ...testCtx(database.db).ports, doorbell: memoryDoorbell(), live: memoryLiveFeed() } });
  return {
    ...{ database, ctx, folder },
    start: async (more) => {
      const service = createRunner({
        ctx,
        clockOffsetMs: async () => 0,
        renewPool: () => {},
        openLane: () => database.another(),
        groups: ["default"],
        slots: 4,
        dataDir: folder,
        drainMs: 1_000,
        inherited: inheritedEnvironment(),
        handlers: { entry: child.entry, execArgv: [], folders: [folder], processes: 1 },
        ...more,
      });
      await service.start();
      return service;
    },
    close: async () => {
      await Promise.all([database.close(), child.remove(), rm(folder, { recursive: true, force: true })]);
    },
  };
}
