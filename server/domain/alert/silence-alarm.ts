import { STALLED_AFTER_MS } from "./task-class";

export const CHECKS = [
  "schedule armed",
  "a scheduler leads",
  "fire written",
  "last fire started a run",
  "nodes dispatched",
  "queue age",
  "group alive",
  "workers take work",
  "limit of the group",
  "backlog",
  "node runs",
  "progress",
] as const;

/** One step between what should happen and that it did, with what was found there; in the order in which things happen. */
export interface Check {
  readonly check: (typeof CHECKS)[number];
  readonly ok: boolean;
  readonly evidence: string;
}

export interface SilenceAlarm {
  readonly code: string;
  readonly message: string;
  readonly checks: readonly Check[];
}

export interface LeaderFact {
  readonly holder: string;
  readonly epoch: number;
}

export interface ScheduleFact {
  readonly name: string;
  readonly timezone: string;
  /** Why it fires no more; null while it can be read. */
  readonly brokenBecause: string | null;
  readonly nextFireAt: Date | null;
  readonly lastFire: { readonly at: Date; readonly verdict: string; readonly reason: string | null } | null;
}

/** A fire that is due for so long without a line in the ledger is missing. */
export const FIRE_GRACE_MS = 30_000;

/** A schedule that should have started something and did not (ALT-5, RUN-11). */
export function judgeSchedule(fact: ScheduleFact, leader: LeaderFact, now: Date): SilenceAlarm | null {
  const { brokenBecause, nextFireAt, lastFire } = fact;
  const overdue = nextFireAt !== null && now.getTime() - nextFireAt.getTime() > FIRE_GRACE_MS;
  const missed = lastFire?.verdict === "missed";
  if (brokenBecause === null && !overdue && !missed) return null;
  const armed = brokenBecause === null && nextFireAt !== null;
  const next = nextFireAt ? `next fire at ${nextFireAt.toISOString()}` : "it has no next fire";
  const last = lastFire
    ? `${lastFire.verdict} at ${lastFire.at.toISOString()}${lastFire.reason ? `, ${lastFire.reason}` : ""}`
    : "none yet";
  return {
    code: "APOLLO_SILENT_SCHEDULE_504",
    message: brokenBecause
      ? `schedule "${fact.name}" fires no more: ${brokenBecause}`
      : overdue
        ? `schedule "${fact.name}" should have fired at ${nextFireAt.toISOString()} and did not`
        : `schedule "${fact.name}" missed its fire of ${lastFire?.at.toISOString()}`,
    checks: [
      { check: "schedule armed", ok: armed, evidence: brokenBecause ?? `${next}, zone ${fact.timezone}` },
      leads(leader),
      {
        check: "fire written",
        ok: !overdue,
        evidence: overdue ? `no line for ${nextFireAt.toISOString()} in the ledger` : "every fire that was due has its line",
      },
      { check: "last fire started a run", ok: !missed, evidence: last },
    ],
  };
}

export interface GroupFact {
  readonly group: string;
  readonly queued: number;
  readonly oldestAt: Date;
  readonly live: number;
  /** Of the live ones, those that take nothing now, with why. */
  readonly refusing: readonly string[];
  readonly limit: number | null;
  readonly running: number;
  /** Pipelines whose nodes wait, the most first. */
  readonly filledBy: readonly { readonly pipeline: string; readonly nodes: number }[];
  /** How many waited at each of the last looks, the oldest first. */
  readonly depths: readonly number[];
}

/** A node that is ready for so long while no worker of its group lives waits for nobody. */
export const NO_WORKER_MS = 60_000;
/** Looks that must all show a queue as long as before, or longer. */
export const GROWING_LOOKS = 20;
/** A queue that is worked off has its oldest node leave it. */
export const GROWING_AGE_MS = 10 * 60_000;

/** A group that nobody works for, or whose queue only grows (ALT-5). */
export function judgeGroup(fact: GroupFact, leader: LeaderFact, now: Date): SilenceAlarm | null {
  const { group, live, refusing, queued, limit, running } = fact;
  const ageMs = now.getTime() - fact.oldestAt.getTime();
  const deserted = live === refusing.length && ageMs > NO_WORKER_MS;
  const growing = onlyGrows(fact.depths) && ageMs > GROWING_AGE_MS;
  if (!deserted && !growing) return null;
  const full = limit !== null && running >= limit;
  const filled = fact.filledBy.map(({ pipeline, nodes }) => `${pipeline} ${nodes}`).join(", ");
  return {
    code: deserted ? "APOLLO_SILENT_GROUP_503" : "APOLLO_SILENT_QUEUE_503",
    message: deserted
      ? `group "${group}" has no worker that takes work, and ${queued} ready ${queued === 1 ? "node waits" : "nodes wait"}, the oldest since ${fact.oldestAt.toISOString()}`
      : `the queue of group "${group}" only grows: ${fact.depths.at(0)} → ${queued} nodes, the oldest since ${fact.oldestAt.toISOString()}`,
    checks: [
      leads(leader),
      { check: "nodes dispatched", ok: true, evidence: `${queued} in the queue of the group` },
      { check: "queue age", ok: false, evidence: `the oldest has waited for ${Math.round(ageMs / 1_000)} s` },
      { check: "group alive", ok: live > 0, evidence: live === 1 ? "1 live worker" : `${live} live workers` },
      {
        check: "workers take work",
        ok: live > refusing.length,
        evidence: refusing.length > 0 ? refusing.join(", ") : live > 0 ? "none refuses" : "nobody is there",
      },
      { check: "limit of the group", ok: !full, evidence: limit === null ? "no limit" : `${running} of ${limit} run` },
      { check: "backlog", ok: !growing, evidence: filled === "" ? "nothing" : `filled by ${filled}` },
    ],
  };
}

/** Never shorter than at the look before, and longer than at the first. */
export function onlyGrows(depths: readonly number[]): boolean {
  if (depths.length < GROWING_LOOKS) return false;
  return depths.every((depth, at) => at === 0 || depth >= (depths[at - 1] ?? 0)) && (depths.at(-1) ?? 0) > (depths[0] ?? 0);
}

export interface DeferredFact {
  readonly task: string;
  /** What its bound was, and how it left it. */
  readonly reason: string;
  readonly since: Date;
  readonly held: number;
}

/** A task whose new work is deferred since too much of it failed: it starts a trickle and no more (EXC-10). */
export const judgeDeferred = ({ task, reason, since, held }: DeferredFact): SilenceAlarm => ({
  code: "APOLLO_SILENT_TASK_503",
  message: `new work of "${task}" is deferred to review since ${since.toISOString()}: ${reason}`,
  checks: [
    { check: "nodes dispatched", ok: false, evidence: reason },
    { check: "backlog", ok: held === 0, evidence: held === 1 ? "1 node is held" : `${held} nodes are held` },
  ],
});

export interface LongNodeFact {
  readonly label: string;
  readonly startedAt: Date;
  /** Its last line of log; null where it has written none. */
  readonly lastLineAt: Date | null;
  readonly workerId: string | null;
  /** What the node says itself; else what is usual for long-running ones. */
  readonly afterMs?: number;
}

/** A running node without a sign of progress (ALT-3, EXC-8). */
export function judgeLongNode(fact: LongNodeFact, now: Date): SilenceAlarm | null {
  const sign = fact.lastLineAt ?? fact.startedAt;
  if (now.getTime() - sign.getTime() < (fact.afterMs ?? STALLED_AFTER_MS)) return null;
  return {
    code: "APOLLO_SILENT_NODE_504",
    message: `${fact.label} has shown no progress since ${sign.toISOString()}`,
    checks: [
      {
        check: "node runs",
        ok: true,
        evidence: `since ${fact.startedAt.toISOString()}${fact.workerId === null ? "" : ` on ${fact.workerId}`}`,
      },
      {
        check: "progress",
        ok: false,
        evidence: fact.lastLineAt ? `last line at ${fact.lastLineAt.toISOString()}` : "it has written no line",
      },
    ],
  };
}

/** A standby takes over within seconds; after this none is there. */
export const NO_LEADER_MS = 30_000;

/** No scheduler leads: nothing fires, nothing is taken back from lost workers (ALT-5). `goneMs` is null where none ever led. */
export function judgeLeader({ holder, goneMs }: { readonly holder: string | null; readonly goneMs: number | null }): SilenceAlarm | null {
  // An installation that has only just been made has never had one.
  if (holder === null || goneMs === null || goneMs < NO_LEADER_MS) return null;
  const seconds = Math.round(goneMs / 1_000);
  return {
    code: "APOLLO_SILENT_LEADER_503",
    message: `no scheduler has led for ${seconds} s: no schedule fires, and no retry comes due`,
    checks: [{ check: "a scheduler leads", ok: false, evidence: `the last was ${holder}; its lease ran out ${seconds} s ago` }],
  };
}

const leads = ({ holder, epoch }: LeaderFact): Check => ({ check: "a scheduler leads", ok: true, evidence: `${holder}, epoch ${epoch}` });
