import { matchesCode } from "@/server/domain/alert/pattern";
import type { CheckName } from "./checks";

export interface ShippedPlaybook {
  readonly key: string;
  /** Codes that it is offered for. */
  readonly patterns: readonly string[];
  readonly checks: readonly CheckName[];
}

/** What every project has from the start (INC-4); their words stand with the screens. */
export const SHIPPED_PLAYBOOKS = [
  {
    key: "stuck-running",
    patterns: ["*_TIMEOUT_*", "*_STALLED_*", "*_LOST_*", "*_DEADLOCK_*"],
    checks: ["node_history", "node_attempt", "node_output", "node_usual"],
  },
  { key: "code-bursts", patterns: ["*"], checks: ["code_rate", "code_stacks", "code_keys", "code_places", "code_changes"] },
  {
    key: "tripping-worker",
    patterns: ["*_OOM_*", "APOLLO_WORKER_*", "APOLLO_BREAKER_*"],
    checks: ["worker_breaker", "worker_codes", "worker_memory", "worker_trips"],
  },
] as const satisfies readonly ShippedPlaybook[];
export type ShippedKey = (typeof SHIPPED_PLAYBOOKS)[number]["key"];

/** The shipped ones for a code, those that speak of fewer codes first. */
export const shippedFor = (code: string): readonly (typeof SHIPPED_PLAYBOOKS)[number][] =>
  SHIPPED_PLAYBOOKS.filter(({ patterns }) => patterns.some((pattern) => matchesCode(pattern, code))).sort(
    (a, b) => Number(a.patterns.some(isAny)) - Number(b.patterns.some(isAny)),
  );

const isAny = (pattern: string): boolean => pattern === "*";
