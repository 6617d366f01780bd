/** What a check looks at. */
export const SUBJECT_KINDS = ["node", "code", "worker"] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Every check that a playbook may be made of, with what it looks at (INC-4). None of them changes anything. */
export const CHECKS = {
  node_history: "node",
  node_attempt: "node",
  node_output: "node",
  node_usual: "node",
  code_rate: "code",
  code_stacks: "code",
  code_keys: "code",
  code_places: "code",
  code_changes: "code",
  worker_breaker: "worker",
  worker_codes: "worker",
  worker_memory: "worker",
  worker_trips: "worker",
} as const satisfies Record<string, SubjectKind>;
export type CheckName = keyof typeof CHECKS;
export const CHECK_NAMES = Object.keys(CHECKS) as [CheckName, ...CheckName[]];

/** How a value of a table is written for people. */
export type CellKind = "text" | "mono" | "instant" | "count" | "span" | "share" | "bytes" | "decimal";
/** Everything that a column may be called; each has its word in both languages. */
export const COLUMN_NAMES = [
  ...["at", "event", "from", "to", "actor", "cause", "worker", "seenAt", "leaseUntil", "limitEnds", "load", "cores", "memoryUsed"],
  ...["loopLag", "bytes", "lastLine", "runsFor", "p50", "p95", "counted", "since", "events", "stack", "share", "lastAt", "message"],
  ...["key", "value", "pipeline", "version", "who", "verb", "object", "state", "until", "why", "startedAt", "registered", "code"],
  ...["here", "elsewhere", "rss", "freeMemory"],
] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

export interface CheckColumn {
  readonly name: ColumnName;
  readonly kind: CellKind;
}

/** An instant is in milliseconds, so that it survives any wire. */
export type Cell = string | number | null;

export type Tone = "good" | "warn" | "bad" | "info";

/** What a check's table means: a word of the check, which each language says in a sentence with these values. */
export interface Verdict {
  readonly word: string;
  readonly tone: Tone;
  readonly values: Readonly<Record<string, string | number>>;
}

export interface Finding {
  readonly verdict: Verdict;
  readonly columns: readonly CheckColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Every word that a check may end in. */
export const VERDICT_WORDS = {
  node_history: ["not_running", "circulates", "running"],
  node_attempt: ["not_running", "worker_gone", "over_limit", "overloaded", "alive"],
  node_output: ["not_running", "never", "silent", "writing"],
  node_usual: ["not_running", "no_history", "usual", "beyond"],
  code_rate: ["quiet", "burst", "rising", "steady"],
  code_stacks: ["none", "no_stack", "one_cause", "several"],
  code_keys: ["none", "no_keys", "one_key", "spread"],
  code_places: ["none", "one_worker", "one_version", "everywhere"],
  code_changes: ["none", "changed", "nothing"],
  worker_breaker: ["unknown", "gone", "held", "open", "probing", "closed"],
  worker_codes: ["quiet", "alone", "worker", "job", "apart"],
  worker_memory: ["unknown", "killed", "tight", "enough"],
  worker_trips: ["unknown", "often", "once", "never"],
} as const satisfies Record<CheckName, readonly string[]>;
export type VerdictWord<Name extends CheckName> = (typeof VERDICT_WORDS)[Name][number];

/** One of the words of a check, so that no verdict is without its sentence. */
export const verdict = <Name extends CheckName>(
  _check: Name,
  word: VerdictWord<Name>,
  tone: Tone,
  values: Verdict["values"] = {},
): Verdict => ({ word, tone, values });
