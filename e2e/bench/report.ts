import { median, rounded } from "./figures";
import type { Ground } from "./ground";
import { BACKENDS, type Backend, type BenchOptions } from "./options";
import type { RawRates } from "./raw";
import type { Measured, Metric, PeerName, Workload } from "./workload";
import { WORKLOADS } from "./workloads";

type Name = Backend | PeerName;

interface Told {
  readonly measured: Measured[];
  readonly loads: number[];
  readonly failures: string[];
}

/** One figure of the JSON file. */
export interface Compared {
  readonly ours: number;
  readonly peer: number | null;
  readonly peerName: string | null;
  readonly ratio: number | null;
}

export type ReportJson = Record<string, Partial<Record<Backend, Partial<Record<Metric, Compared>>>>>;

/** What was measured, by row and by whom; tells medians. */
export class Report {
  readonly #told = new Map<string, Told>();
  readonly #raw = new Map<string, RawRates[]>();

  constructor(
    private readonly ground: Pick<Ground, "version" | "durable">,
    private readonly options: Pick<BenchOptions, "repeats" | "scale">,
  ) {}

  add({ key }: Workload, name: Name, measured: Measured, load: number): void {
    const told = this.#of(key, name);
    told.measured.push(measured);
    told.loads.push(load);
  }

  fail({ key }: Workload, name: Name, error: unknown): void {
    this.#of(key, name).failures.push(error instanceof Error ? error.message : String(error));
  }

  addRaw({ key }: Workload, raw: RawRates): void {
    this.#raw.set(key, [...(this.#raw.get(key) ?? []), raw]);
  }

  json(): ReportJson {
    const out: ReportJson = {};
    for (const workload of WORKLOADS) {
      for (const backend of BACKENDS) {
        const figures = this.#compared(workload, backend);
        if (Object.keys(figures).length > 0) out[workload.key] = { ...out[workload.key], [backend]: figures };
      }
    }
    return out;
  }

  lineOf(workload: Workload): string {
    const parts = BACKENDS.flatMap((backend) =>
      Object.entries(this.#compared(workload, backend)).map(([metric, { ours, peer, peerName, ratio }]) => {
        const beside = peer === null ? "" : ` against ${peer} of ${peerName} (× ${ratio})`;
        return `${backend} ${metric} ${ours}${beside}`;
      }),
    );
    return `${workload.key}: ${parts.join("; ")}`;
  }

  /** The table of docs/performance.md. */
  markdown(): string {
    const head = [
      `PostgreSQL ${this.ground.version} (${this.ground.durable}), Node ${process.versions.node}; medians of ${this.options.repeats}${this.options.scale === 1 ? "" : `, at ${this.options.scale} of the size`}.`,
      "",
      "| row | figure | Redis | PostgreSQL | best durable peer | Redis ÷ peer | PostgreSQL ÷ peer | ÷ raw commits | CPU ms a unit |",
      "|---|---|---|---|---|---|---|---|---|",
    ];
    const rows = WORKLOADS.flatMap((workload) => this.#rowsOf(workload));
    return `${[...head, ...rows].join("\n")}\n`;
  }

  #rowsOf(workload: Workload): string[] {
    const redis = this.#compared(workload, "redis");
    const postgres = this.#compared(workload, "postgres");
    const metrics = (["rate", "p50", "p99"] as const).filter((metric) => redis[metric] ?? postgres[metric]);
    return metrics.map((metric) => {
      const [first, second] = [redis[metric], postgres[metric]];
      const either = first ?? second;
      const peer = either?.peer === null || either === undefined ? "–" : `${either.peer} (${either.peerName})`;
      const figure = metric === "rate" ? `${workload.unit}/s` : `${metric} ms`;
      const cells = [
        first?.ours,
        second?.ours,
        peer,
        first?.ratio,
        second?.ratio,
        this.#rawRatio(workload, metric),
        this.#cpu(workload, metric),
      ];
      return `| \`${workload.key}\` | ${figure} | ${cells.map((cell) => cell ?? "–").join(" | ")} |`;
    });
  }

  #rawRatio({ key }: Workload, metric: Metric): string {
    const raw = this.#raw.get(key);
    if (!raw || metric !== "rate") return "–";
    const commits = median(raw.map((each) => each.commits));
    const ratios = BACKENDS.flatMap((backend) => {
      const ours = this.#median(key, backend, metric);
      return ours === null ? [] : [rounded(ours / commits)];
    });
    return `${ratios.join(" / ")} of ${rounded(commits)}`;
  }

  #cpu({ key }: Workload, metric: Metric): string {
    const parts = BACKENDS.flatMap((backend) => {
      const measured = this.#told.get(`${key}|${backend}`)?.measured.filter(({ cpu }) => cpu) ?? [];
      if (measured.length === 0 || metric === "p99") return [];
      return [rounded(median(measured.map(({ cpu = {}, units = 1 }) => (sum(Object.values(cpu)) * 1_000) / units)))];
    });
    return parts.length === 0 ? "–" : parts.join(" / ");
  }

  #compared({ key, peers }: Workload, backend: Backend): Partial<Record<Metric, Compared>> {
    const out: Partial<Record<Metric, Compared>> = {};
    for (const metric of ["rate", "p50", "p99"] as const) {
      const ours = this.#median(key, backend, metric);
      if (ours === null) continue;
      const best = this.#bestPeer(key, peers, metric) ?? this.#beside(key, backend, metric);
      const ratio = best ? rounded(ours / best.value) : null;
      out[metric] = { ours: rounded(ours), peer: best ? rounded(best.value) : null, peerName: best?.name ?? null, ratio };
    }
    return out;
  }

  #beside(key: string, backend: Backend, metric: Metric): { name: string; value: number } | null {
    const found = this.#told.get(`${key}|${backend}`)?.measured.flatMap(({ beside }) => beside ?? []) ?? [];
    const values = found.flatMap(({ figures }) => figures[metric] ?? []);
    return values.length === 0 ? null : { name: found[0]?.name ?? "", value: median(values) };
  }

  /** Of those that were measured, the one that did best in this very run. */
  #bestPeer(key: string, peers: readonly PeerName[], metric: Metric): { name: PeerName; value: number } | null {
    const found = peers.flatMap((name) => {
      const value = this.#median(key, name, metric);
      return value === null ? [] : [{ name, value }];
    });
    found.sort((a, b) => (metric === "rate" ? b.value - a.value : a.value - b.value));
    return found[0] ?? null;
  }

  #median(key: string, name: Name, metric: Metric): number | null {
    const values = this.#told.get(`${key}|${name}`)?.measured.flatMap(({ figures }) => figures[metric] ?? []) ?? [];
    return values.length === 0 ? null : median(values);
  }

  #of(key: string, name: Name): Told {
    const id = `${key}|${name}`;
    const known = this.#told.get(id) ?? { measured: [], loads: [], failures: [] };
    this.#told.set(id, known);
    return known;
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
