import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { PipelineDefinitionInput } from "@/server/domain/pipeline/definition";
import type { Ctx } from "@/server/engine/context";
import { applyDefinition } from "@/server/engine/pipelines/apply-definition";
import { createProject } from "@/server/engine/projects/create-project";
import { parseEnv } from "@/server/env";
import { openRuntime, type Runtime } from "@/server/runtime";
import { type Cpu, watchCpu } from "./cpu";
import type { Database, Ground } from "./ground";
import type { Backend } from "./options";
import { type Program, startProgram } from "./processes";
import { openStarts, type Starts, writeHandlers } from "./starts";

export type NodeInput = NonNullable<PipelineDefinitionInput["spec"]["nodes"]>[number];
export type ScheduleInput = NonNullable<PipelineDefinitionInput["spec"]["schedules"]>[number];

export interface EngineOptions {
  readonly ground: Ground;
  readonly backend: Backend;
  readonly workers: number;
  readonly schedulers: number;
  /** Of each worker. */
  readonly slots: number;
  /** One that is kept; else a fresh one is made, and dropped at the end. */
  readonly database?: Database;
  readonly profile?: string | undefined;
}

export interface BenchPipeline {
  readonly id: string;
  readonly name: string;
}

/** The whole product but its console, on an empty database: real processes, and a context that submits as the API does. */
export interface Engine {
  readonly ctx: Ctx;
  readonly sql: Runtime["client"]["sql"];
  readonly projectId: string;
  readonly starts: Starts;
  pipeline(name: string, nodes: readonly NodeInput[], schedules?: readonly ScheduleInput[]): Promise<BenchPipeline>;
  /** Waits until so many handlers were called and then until no run of the pipeline lives; all must have succeeded. */
  untilDone(pipeline: BenchPipeline, expected: { runs: number; nodes: number }, limitMs?: number): Promise<void>;
  /** Waits until no run at all lives. */
  untilIdle(limitMs: number): Promise<void>;
  startWorkers(): Promise<void>;
  stopWorkers(): Promise<void>;
  watchCpu(): () => Cpu;
  close(): Promise<void>;
}

const LIMIT_MS = 180_000;

/** A handler node that does nothing. */
export const noop = (key: string, needs: readonly string[] = []): NodeInput => ({
  key,
  type: "handler",
  needs: [...needs],
  with: { task: "bench.noop", input: { v: 1 } },
});

export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { ground, backend } = options;
  const database = options.database ?? (await ground.freshDatabase("migrated"));
  const folder = scratchFolder();
  const starts = await openStarts();
  const handlers = join(folder, "handlers");
  writeHandlers(handlers, starts.port);
  const env = {
    DATABASE_URL: database.url,
    ...(backend === "redis" ? { REDIS_URL: ground.redisUrl } : {}),
    APOLLO_DATA_DIR: folder,
    APOLLO_HANDLERS_DIR: handlers,
    APOLLO_DEMO: "off",
    APOLLO_LOG_LEVEL: "warn",
    APOLLO_DRAIN_SECONDS: "1",
    APOLLO_WORKER_SLOTS: String(options.slots),
  };
  const runtime = await openRuntime({ name: "web", env: parseEnv(env) });
  const ctx = runtime.systemCtx();
  const project = await createProject(ctx, { key: `bench-${ctx.ids.randomHex(3)}`, title: "Bench" });
  const processes = new Processes(options, env, folder);
  const engine = new RunningEngine(runtime, ctx, project.id, starts, processes, {
    ground,
    database,
    folder,
    keep: options.database !== undefined,
  });
  await processes.startSchedulers();
  await engine.startWorkers();
  return engine;
}

/** It goes with this process, however that ends; so do the programs, whose channel closes then. */
function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "apollo-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

class Processes {
  #schedulers: Program[] = [];
  #workers: Program[] = [];

  constructor(
    private readonly options: EngineOptions,
    private readonly env: Readonly<Record<string, string>>,
    private readonly folder: string,
  ) {}

  get pids(): Record<string, number> {
    return Object.fromEntries([...this.#schedulers, ...this.#workers].map(({ name, pid }) => [name, pid]));
  }

  async startSchedulers(): Promise<void> {
    this.#schedulers = this.#start("scheduler", "scheduler", this.options.schedulers);
  }

  async startWorkers(): Promise<void> {
    this.#workers = this.#start("runner", "worker", this.options.workers);
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    this.#workers = [];
  }

  async stop(): Promise<void> {
    await this.stopWorkers();
    await Promise.all(this.#schedulers.map((scheduler) => scheduler.stop()));
  }

  #start(program: string, kind: string, count: number): Program[] {
    const logFolder = join(this.folder, "logs");
    return Array.from({ length: count }, (_, index) => {
      const name = count === 1 ? kind : `${kind}-${index + 1}`;
      const env = { ...this.env, ...(program === "runner" ? { APOLLO_WORKER_ID: name } : {}) };
      return startProgram({ program, name, env, logFolder, profile: this.options.profile });
    });
  }
}

interface Place {
  readonly ground: Ground;
  readonly database: Database;
  readonly folder: string;
  /** The database stays. */
  readonly keep: boolean;
}

class RunningEngine implements Engine {
  #closed: Promise<void> | undefined;

  constructor(
    private readonly runtime: Runtime,
    readonly ctx: Ctx,
    readonly projectId: string,
    readonly starts: Starts,
    private readonly processes: Processes,
    private readonly place: Place,
  ) {}

  get sql() {
    return this.runtime.client.sql;
  }

  async pipeline(name: string, nodes: readonly NodeInput[], schedules: readonly ScheduleInput[] = []): Promise<BenchPipeline> {
    const definition: PipelineDefinitionInput = {
      apiVersion: "apollo11/v1",
      kind: "Pipeline",
      metadata: { name, title: name, owner: "bench" },
      spec: { domain: "BENCH", params: { due: { type: "string", default: "" } }, nodes: [...nodes], schedules: [...schedules] },
    };
    const applied = await applyDefinition(this.ctx, { projectId: this.projectId, name, source: { kind: "value", value: definition } });
    if (applied.pipelineId === null) throw new Error(`pipeline ${name} was not made`);
    return { id: applied.pipelineId, name };
  }

  async untilDone(pipeline: BenchPipeline, expected: { runs: number; nodes: number }, limitMs = LIMIT_MS): Promise<void> {
    await this.starts.count(expected.nodes, limitMs);
    const endMs = performance.now() + limitMs;
    for (;;) {
      const [row] = await this.sql<{ live: number }[]>`
        select count(*)::int as live from runs where pipeline_id = ${pipeline.id} and state in ('PENDING', 'RUNNING', 'PAUSED')
      `;
      if (row?.live === 0) break;
      if (performance.now() > endMs) throw new Error(`${row?.live} runs of ${pipeline.name} do not end`);
      await pause(2);
    }
  }

  async untilIdle(limitMs: number): Promise<void> {
    await this.#until(
      "no run lives",
      async () => {
        const [row] = await this.sql<
          { live: number }[]
        >`select count(*)::int as live from runs where state in ('PENDING', 'RUNNING', 'PAUSED')`;
        return row?.live === 0;
      },
      limitMs,
    );
  }

  async startWorkers(): Promise<void> {
    await this.processes.startWorkers();
    await this.#until("the workers take nodes", async () => {
      const [row] = await this.sql<{ live: number }[]>`select count(*)::int as live from workers where expires_at > clock_timestamp()`;
      const [leader] = await this.sql<{ leads: number }[]>`select count(*)::int as leads from leases where expires_at > clock_timestamp()`;
      return row?.live === Object.keys(this.processes.pids).filter((name) => name.startsWith("worker")).length && leader?.leads === 1;
    });
  }

  stopWorkers(): Promise<void> {
    return this.processes.stopWorkers();
  }

  watchCpu(): () => Cpu {
    const { postgresPid, redisPid } = this.place.ground;
    const named = Object.entries(this.processes.pids);
    const pidsOf = (kind: string) => named.flatMap(([name, pid]) => (name.startsWith(kind) ? [pid] : []));
    return watchCpu([
      { name: "postgres", pids: [postgresPid] },
      { name: "redis", pids: redisPid === undefined ? [] : [redisPid] },
      { name: "scheduler", pids: pidsOf("scheduler") },
      { name: "worker", pids: pidsOf("worker"), children: "handlers" },
    ]);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.processes.stop();
    await this.starts.close();
    await this.runtime.close();
    if (!this.place.keep) await this.place.database.drop();
    rmSync(this.place.folder, { recursive: true, force: true });
  }

  async #until(what: string, holds: () => Promise<boolean>, limitMs = 30_000): Promise<void> {
    const endMs = performance.now() + limitMs;
    while (!(await holds())) {
      if (performance.now() > endMs) throw new Error(`it did not come to pass that ${what}; see ${join(this.place.folder, "logs")}`);
      await pause(20);
    }
  }
}
