import type { Verdict as BoardVerdict } from "@/server/domain/breaker/blame";
import { type Verdict, verdict } from "./checks";

/** So often into RUNNING within one generation is no waiting, it is going round. */
export const CIRCULATES = 4;
const SILENT_MS = 5 * 60_000;
const LEAST_HISTORY = 5;
/** Most of something: then it is the cause, or the place. */
const MOST = 0.8;
const BURST_A_MINUTE = 50;
const TIGHT = 0.9;
const LEAST_EVENTS = 5;

const percent = (share: number): number => Math.round(share * 100);

export interface NodeFacts {
  readonly state: string;
  readonly now: Date;
}

const notRunning = (state: string) => verdict("node_history", "not_running", "good", { state });

export function judgeHistory(node: NodeFacts, starts: number): Verdict {
  if (starts >= CIRCULATES) return verdict("node_history", "circulates", "bad", { n: starts });
  return node.state === "RUNNING" ? verdict("node_history", "running", "info", { n: starts }) : notRunning(node.state);
}

export interface HostFacts {
  readonly worker: string;
  /** Its lease holds, and it is still the process that took the node. */
  readonly isThere: boolean;
  readonly limitEnds: Date | null;
  readonly load: number | null;
  readonly cores: number | null;
}

/** Whether anything still works on the node. */
export function judgeAttempt(node: NodeFacts, host: HostFacts | null): Verdict {
  if (node.state !== "RUNNING") return notRunning(node.state);
  if (!host?.isThere) return verdict("node_attempt", "worker_gone", "bad", { worker: host?.worker ?? "–" });
  if (host.limitEnds !== null && host.limitEnds <= node.now) return verdict("node_attempt", "over_limit", "bad", { worker: host.worker });
  if (host.load !== null && host.cores !== null && host.load > host.cores) {
    return verdict("node_attempt", "overloaded", "warn", { worker: host.worker, load: Math.round(host.load * 10) / 10, cores: host.cores });
  }
  return verdict("node_attempt", "alive", "info", { worker: host.worker });
}

export function judgeOutput(node: NodeFacts, lastAt: Date | null): Verdict {
  if (node.state !== "RUNNING") return notRunning(node.state);
  if (lastAt === null) return verdict("node_output", "never", "warn");
  const silentMs = node.now.getTime() - lastAt.getTime();
  const minutes = Math.floor(silentMs / 60_000);
  return silentMs > SILENT_MS ? verdict("node_output", "silent", "warn", { minutes }) : verdict("node_output", "writing", "good");
}

export interface UsualFacts {
  readonly runsForMs: number | null;
  readonly counted: number;
  readonly p95Ms: number | null;
}

export function judgeUsual(node: NodeFacts, { runsForMs, counted, p95Ms }: UsualFacts): Verdict {
  if (node.state !== "RUNNING" || runsForMs === null) return notRunning(node.state);
  if (counted < LEAST_HISTORY || p95Ms === null) return verdict("node_usual", "no_history", "info", { n: counted });
  if (runsForMs <= p95Ms) return verdict("node_usual", "usual", "good");
  return verdict("node_usual", "beyond", "warn", { times: Math.round((runsForMs / Math.max(1, p95Ms)) * 10) / 10 });
}

/** Of the last hour, a count a minute, oldest first. */
export function judgeRate(minutes: readonly number[]): Verdict {
  const all = sum(minutes);
  if (all === 0) return verdict("code_rate", "quiet", "good");
  const most = Math.max(...minutes);
  if (most > BURST_A_MINUTE) return verdict("code_rate", "burst", "bad", { most, n: all });
  const last = sum(minutes.slice(-10));
  const before = sum(minutes.slice(0, -10)) / 5;
  if (last >= LEAST_EVENTS && last > 3 * before) return verdict("code_rate", "rising", "warn", { last, n: all });
  return verdict("code_rate", "steady", "info", { n: all });
}

export interface Counted {
  readonly name: string | null;
  readonly count: number;
}

const topOf = (groups: readonly Counted[], total: number) => {
  const top = groups.reduce<Counted | null>((best, each) => (best === null || each.count > best.count ? each : best), null);
  return top && { ...top, share: total === 0 ? 0 : top.count / total };
};

/** One stack is one cause, whatever the messages say. */
export function judgeStacks(stacks: readonly Counted[]): Verdict {
  const total = sum(stacks.map(({ count }) => count));
  const top = topOf(stacks, total);
  if (!top) return verdict("code_stacks", "none", "good");
  if (top.name === null) return verdict("code_stacks", "no_stack", "info", { share: percent(top.share) });
  if (top.share >= MOST) return verdict("code_stacks", "one_cause", "warn", { share: percent(top.share), stack: top.name.slice(0, 8) });
  return verdict("code_stacks", "several", "info", { n: stacks.length });
}

export function judgeKeys(pairs: readonly Counted[], total: number): Verdict {
  if (total === 0) return verdict("code_keys", "none", "good");
  const top = topOf(pairs, total);
  if (!top || top.name === null) return verdict("code_keys", "no_keys", "info", { n: total });
  if (top.share >= 0.5 && total >= LEAST_EVENTS)
    return verdict("code_keys", "one_key", "warn", { key: top.name, share: percent(top.share) });
  return verdict("code_keys", "spread", "info", { key: top.name, share: percent(top.share) });
}

export interface Places {
  readonly workers: readonly Counted[];
  readonly versions: readonly Counted[];
  readonly liveWorkers: number;
}

/** A place is to blame where there are others, and it still has nearly all of them. */
export function judgePlaces({ workers, versions, liveWorkers }: Places): Verdict {
  const total = sum(workers.map(({ count }) => count));
  if (total === 0) return verdict("code_places", "none", "good");
  const worker = topOf(workers, total);
  if (worker?.name && total >= LEAST_EVENTS && worker.share >= MOST && Math.max(liveWorkers, workers.length) > 1) {
    return verdict("code_places", "one_worker", "warn", { worker: worker.name, share: percent(worker.share) });
  }
  const [version] = versions;
  if (versions.length === 1 && version?.name) return verdict("code_places", "one_version", "info", { version: version.name });
  return verdict("code_places", "everywhere", "info", { workers: workers.length, versions: versions.length });
}

export function judgeChanges(firstAt: Date | null, changes: number): Verdict {
  if (firstAt === null) return verdict("code_changes", "none", "good");
  return changes > 0 ? verdict("code_changes", "changed", "warn", { n: changes }) : verdict("code_changes", "nothing", "info");
}

export interface BreakerFacts {
  readonly worker: string;
  readonly isKnown: boolean;
  readonly isLive: boolean;
  readonly state: "closed" | "open" | "probing" | "held";
}

const BREAKER_TONES = { held: "warn", open: "bad", probing: "warn", closed: "good" } as const;

export function judgeBreaker({ worker, isKnown, isLive, state }: BreakerFacts): Verdict {
  if (!isKnown) return verdict("worker_breaker", "unknown", "info", { worker });
  if (state === "closed" && !isLive) return verdict("worker_breaker", "gone", "bad", { worker });
  return verdict("worker_breaker", state, BREAKER_TONES[state], { worker });
}

/** What the board of workers and codes says of this one. */
export function judgeCodes(worker: string, board: BoardVerdict, ownCodes: readonly string[]): Verdict {
  if (board.kind === "quiet") return verdict("worker_codes", "quiet", "good");
  if (board.kind === "alone") return verdict("worker_codes", "alone", "info");
  const blames = board.kind === "told" ? board.blames : [];
  for (const blame of blames) {
    if (blame.kind === "worker" && blame.worker === worker) {
      return verdict("worker_codes", "worker", "bad", { codes: blame.codes, n: blame.count });
    }
    if (blame.kind === "job" && ownCodes.includes(blame.code)) {
      return verdict("worker_codes", "job", "warn", { code: blame.code, workers: blame.workers });
    }
  }
  return verdict("worker_codes", "apart", "info");
}

export function judgeMemory(known: boolean, kills: number, used: number | null): Verdict {
  if (kills > 0) return verdict("worker_memory", "killed", "bad", { n: kills });
  if (!known || used === null) return verdict("worker_memory", "unknown", "info");
  return used >= TIGHT
    ? verdict("worker_memory", "tight", "warn", { share: percent(used) })
    : verdict("worker_memory", "enough", "good", { share: percent(used) });
}

export function judgeTrips(known: boolean, opened: number): Verdict {
  if (!known && opened === 0) return verdict("worker_trips", "unknown", "info");
  if (opened > 1) return verdict("worker_trips", "often", "bad", { n: opened });
  return opened === 1 ? verdict("worker_trips", "once", "warn") : verdict("worker_trips", "never", "good");
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
