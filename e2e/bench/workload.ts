import type { Cpu } from "./cpu";
import type { BenchPipeline, Engine } from "./engine";
import type { Backend } from "./options";

export type Metric = "rate" | "p50" | "p99";
export type Figures = Partial<Record<Metric, number>>;

export interface Measured {
  readonly figures: Figures;
  /** CPU seconds of the measured stretch, by process. */
  readonly cpu?: Cpu;
  /** What CPU is divided by: runs, nodes or fires. */
  readonly units?: number;
  /** What else was seen, for the table's last column. */
  readonly notes?: Readonly<Record<string, number | string>>;
  /** What a row without a peer is held against. */
  readonly beside?: { readonly name: string; readonly figures: Figures };
}

export interface Size {
  readonly scale: number;
  readonly backend: Backend;
  /** One more product, on a database that is kept for all repeats; `fill` is called where it is new. */
  another(name: string, fill: (engine: Engine) => Promise<void>): Promise<Engine>;
}

export type PeerName = "restate" | "graphile-worker" | "pg-boss" | "bullmq-postgres";

export interface Workload {
  readonly key: string;
  readonly what: string;
  /** What `rate` counts in a second. */
  readonly unit: string;
  /** The best durable peer of this row first. */
  readonly peers: readonly PeerName[];
  readonly workers?: number;
  readonly schedulers?: number;
  readonly slots?: number;
  /** Runs without a database: measured once, and the same for both backends. */
  readonly inProcess?: () => Promise<Measured>;
  ours(engine: Engine, size: Size): Promise<Measured>;
}

/** `count` calls, so many at a time. */
export async function inFlight(count: number, atOnce: number, call: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** One after the other, so that each connection has planned what it will need: the server does so anew for its first five calls. */
export async function warmUpSlowly(engine: Engine, pipeline: BenchPipeline, trigger: () => Promise<unknown>): Promise<void> {
  for (let run = 0; run < 60; run++) {
    engine.starts.clear();
    await trigger();
    await engine.untilDone(pipeline, { runs: 1, nodes: 1 });
  }
  engine.starts.clear();
}

/** Compiles what is hot, fills caches and connections: as a peer is warmed too. */
export async function warmUp(
  engine: Engine,
  pipeline: BenchPipeline,
  trigger: () => Promise<unknown>,
  runs: number,
  nodes: number,
): Promise<void> {
  await inFlight(runs, 20, trigger);
  await engine.untilDone(pipeline, { runs, nodes: runs * nodes });
  engine.starts.clear();
}
