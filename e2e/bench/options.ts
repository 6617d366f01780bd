import { parseArgs } from "node:util";

export const BACKENDS = ["redis", "postgres"] as const;
/** What carries the doorbells. */
export type Backend = (typeof BACKENDS)[number];

export interface BenchOptions {
  readonly rows: readonly string[];
  readonly backends: readonly Backend[];
  readonly repeats: number;
  readonly peers: "best" | "all" | "none";
  /** Of the size that the row is defined with. */
  readonly scale: number;
  readonly json: string | undefined;
  readonly markdown: string | undefined;
  /** A folder for CPU profiles and the costs of statements. */
  readonly profile: string | undefined;
  /** Plans of statements that take longer are written to the server's log, which goes into the profile's folder. */
  readonly plansOverMs: number | undefined;
}

export const USAGE = `npm run bench -- [options]
  --rows one,chain        which workloads; all of them when left out
  --backend redis         redis, postgres, or both when left out
  --repeats 3             each workload so often, ours and the peer in turn; medians are told
  --peers best            best, all or none
  --scale 1               a share of each workload's size, for a quick look
  --json FILE             medians and ratios as JSON
  --markdown FILE         the same as a table
  --profile FOLDER        CPU profiles of each process, and what each statement cost
  --plans 20              with --profile: plans of statements that took longer, in milliseconds`;

const PEERS = ["best", "all", "none"] as const;

/** Parses the command line; throws an error whose message says what is wrong. */
export function readOptions(args: readonly string[], known: readonly string[]): BenchOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { rows: text, backend: text, repeats: text, peers: text, scale: text, json: text, markdown: text, profile: text, plans: text },
  });
  const rows = listOf(values.rows) ?? known;
  const unknown = rows.find((row) => !known.includes(row));
  if (unknown !== undefined) throw new Error(`there is no row "${unknown}"; there are ${known.join(", ")}`);
  const backends = listOf(values.backend) ?? BACKENDS;
  const peers = PEERS.find((each) => each === (values.peers ?? "best"));
  if (!peers) throw new Error(`--peers is ${PEERS.join(", ")}`);
  return {
    rows,
    backends: backends.map(backendOf),
    repeats: numberOf("--repeats", values.repeats ?? "3", 1),
    peers,
    scale: numberOf("--scale", values.scale ?? "1", 0.001),
    json: values.json,
    markdown: values.markdown,
    profile: values.profile,
    plansOverMs: values.plans === undefined ? undefined : numberOf("--plans", values.plans, 0),
  };
}

const listOf = (text: string | undefined) => text?.split(",").map((each) => each.trim());

function backendOf(name: string): Backend {
  const found = BACKENDS.find((each) => each === name);
  if (!found) throw new Error(`there is no backend "${name}"; there are ${BACKENDS.join(" and ")}`);
  return found;
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < least) throw new Error(`${name} is a number from ${least} up, and not "${text}"`);
  return value;
}
