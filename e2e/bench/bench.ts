import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadNow } from "./cpu";
import { type Engine, type EngineOptions, openEngine } from "./engine";
import { rounded } from "./figures";
import { type Database, type Ground, openGround } from "./ground";
import { type Backend, type BenchOptions, readOptions, USAGE } from "./options";
import { installPeers, measurePeer } from "./peer";
import { measureRaw, type RawRates } from "./raw";
import { Report } from "./report";
import type { Measured, PeerName, Size, Workload } from "./workload";
import { WORKLOADS } from "./workloads";

const SLOTS = 100;
const END_MS = 3_000;

/** Measures rows one after the other; in each repeat ours on each backend, then the peers, so that a slow minute slows all. */
class Bench {
  readonly #report: Report;
  readonly #databases = new Map<string, Database>();

  constructor(
    private readonly ground: Ground,
    private readonly options: BenchOptions,
    private readonly abort: AbortSignal,
  ) {
    this.#report = new Report(ground, options);
  }

  async run(): Promise<void> {
    const wanted = WORKLOADS.filter(({ key }) => this.options.rows.includes(key));
    const peers = new Set(wanted.flatMap((workload) => this.#peersOf(workload)));
    if (peers.size > 0) await installPeers(process.cwd(), say);
    for (const workload of wanted) {
      for (let repeat = 1; repeat <= this.options.repeats; repeat++) await this.#repeat(workload, repeat);
      say(this.#report.lineOf(workload));
      this.#write();
    }
  }

  async #repeat(workload: Workload, repeat: number): Promise<void> {
    const raw = workload.unit === "ms" || workload.inProcess ? null : await measureRaw(this.ground);
    if (raw) this.#report.addRaw(workload, raw);
    for (const backend of this.options.backends) {
      if (this.abort.aborted) return;
      await this.#measure(workload, repeat, backend, () => this.#ours(workload, backend, repeat));
    }
    for (const peer of this.#peersOf(workload)) {
      if (this.abort.aborted) return;
      await this.#measure(workload, repeat, peer, () => measurePeer(this.ground, peer, workload.key, this.options.scale, this.abort));
    }
    if (raw) say(`  ${workload.key} #${repeat} raw: ${rawLine(raw)}`);
  }

  async #measure(workload: Workload, repeat: number, name: Backend | PeerName, measure: () => Promise<Measured>): Promise<void> {
    const load = loadNow();
    try {
      const measured = await measure();
      this.#report.add(workload, name, measured, load);
      say(`  ${workload.key} #${repeat} ${name}: ${lineOf(measured)} (load ${load})`);
    } catch (error) {
      if (this.abort.aborted) return;
      this.#report.fail(workload, name, error);
      say(`  ${workload.key} #${repeat} ${name}: failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #ours(workload: Workload, backend: Backend, repeat: number): Promise<Measured> {
    if (workload.inProcess) return workload.inProcess();
    const { ground, options } = this;
    const profile = options.profile === undefined ? undefined : join(options.profile, `${workload.key}-${backend}-${repeat}`);
    const { workers = 1, schedulers = 1, slots = SLOTS } = workload;
    const engineOptions: EngineOptions = { ground, backend, workers, schedulers, slots, profile };
    const engine = await openEngine(engineOptions);
    const another: Size["another"] = (name, fill) => this.#kept(name, fill, engineOptions);
    try {
      return await this.#costed(engine, profile, () => workload.ours(engine, { scale: options.scale, backend, another }));
    } finally {
      await engine.close();
    }
  }

  /** A database that takes long to fill is filled once, and then used by each repeat. */
  async #kept(name: string, fill: (engine: Engine) => Promise<void>, options: EngineOptions): Promise<Engine> {
    const known = this.#databases.get(name);
    const database = known ?? (await this.ground.freshDatabase("migrated"));
    const engine = await openEngine({ ...options, database });
    if (known) return engine;
    say(`  the database "${name}" is filled …`);
    await fill(engine);
    this.#databases.set(name, database);
    engine.starts.clear();
    return engine;
  }

  async #costed(engine: Engine, profile: string | undefined, measure: () => Promise<Measured>): Promise<Measured> {
    if (profile === undefined) return measure();
    mkdirSync(profile, { recursive: true });
    await this.ground.statementCosts();
    const stopProfile = await profileSelf(join(profile, "submitter.cpuprofile"));
    const measured = await measure();
    await stopProfile();
    const told = {
      measured,
      statements: await this.ground.statementCosts(),
      tables: await rowsWritten(engine),
      starts: engine.starts.all.length,
    };
    writeFileSync(join(profile, "costs.json"), JSON.stringify(told, null, 1));
    return measured;
  }

  #peersOf({ peers }: Workload): readonly PeerName[] {
    if (this.options.peers === "none") return [];
    return this.options.peers === "all" ? peers : peers.slice(0, 1);
  }

  #write(): void {
    const { json, markdown } = this.options;
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(this.#report.json(), null, 2)}\n`);
    if (markdown !== undefined) writeFileSync(markdown, this.#report.markdown());
  }

  markdown(): string {
    return this.#report.markdown();
  }
}

/** Rows written by table, its months together, since the database was made; what is hot needed no index. */
function rowsWritten({ sql }: Engine): Promise<readonly object[]> {
  return sql<object[]>`
    select coalesce(p.relname, s.relname) as name, sum(n_tup_ins)::int as inserted, sum(n_tup_upd)::int as updated, sum(n_tup_hot_upd)::int as hot
    from pg_stat_user_tables s left join pg_inherits i on i.inhrelid = s.relid left join pg_class p on p.oid = i.inhparent
    group by 1 having sum(n_tup_ins + n_tup_upd) > 0 order by sum(n_tup_ins + n_tup_upd) desc
  `;
}

/** A CPU profile of this very process, which submits. */
async function profileSelf(file: string): Promise<() => Promise<void>> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  return async () => {
    const { profile } = await session.post("Profiler.stop");
    writeFileSync(file, JSON.stringify(profile));
    session.disconnect();
  };
}

const say = (line: string) => console.log(line);

const lineOf = ({ figures, cpu, units, notes }: Measured): string => {
  const parts = Object.entries(figures).map(([metric, value]) => `${metric} ${rounded(value)}`);
  const used = Object.entries(cpu ?? {}).map(([name, seconds]) => `${name} ${rounded((seconds * 1_000) / (units ?? 1))}`);
  const more = Object.entries(notes ?? {}).map(([name, value]) => `${name} ${value}`);
  return [...parts, ...(used.length > 0 ? [`CPU ms a unit: ${used.join(", ")}`] : []), ...more].join("; ");
};

const rawLine = (raw: RawRates) => `${raw.commits} commits/s, ${raw.batched} rows/s in batches`;

/** What is being measured may take minutes: it is left, and everything that was started ends with this process. */
function endSoon(abort: AbortController): void {
  abort.abort();
  setTimeout(() => process.exit(130), END_MS).unref();
}

async function main(): Promise<void> {
  const keys = WORKLOADS.map(({ key }) => key);
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2), keys);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => endSoon(abort));
  process.once("disconnect", () => process.exit(1));
  const ground = await openGround(process.cwd(), { countCosts: options.profile !== undefined, plansOverMs: options.plansOverMs });
  say(`PostgreSQL ${ground.version} (${ground.durable}), Redis beside it, Node ${process.versions.node}, load ${loadNow()}`);
  const bench = new Bench(ground, options, abort.signal);
  try {
    await bench.run();
    if (!abort.signal.aborted) say(`\n${bench.markdown()}`);
  } finally {
    if (options.profile !== undefined) cpSync(ground.logFile, join(options.profile, "server.log"));
    await ground.close();
  }
  process.exit(abort.signal.aborted ? 130 : 0);
}

await main();
