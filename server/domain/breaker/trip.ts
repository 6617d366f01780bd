import { NODE_FAULTS } from "../run/platform-failure";

/** How one attempt of a worker ended. */
export interface AttemptEnd {
  readonly at: Date;
  /** Null where it succeeded. */
  readonly code: string | null;
}

export const TRIP_CAUSES = ["oom", "row"] as const;
export type TripCause = (typeof TRIP_CAUSES)[number];

/** What takes a worker out: so many kills for memory within the window, each so long after the one before it … */
export const OOM_KILLS = 3;
export const OOM_WINDOW_MS = 10 * 60_000;
export const OOM_APART_MS = 30_000;
/** … or so many failures in a row, whatever their codes. */
export const FAILURES_IN_A_ROW = 10;

export interface Trip<End extends AttemptEnd> {
  readonly cause: TripCause;
  /** What opened it, oldest first; the last of them is when. */
  readonly ends: readonly End[];
}

/** Attempts that are lost within this time were lost by one death of their worker, which has failed once, however many slots it has. */
export const LOST_TOGETHER_MS = 30_000;

/** `*_OOM_*`: a module or status of a code, never a part of a word. */
export const isOutOfMemory = (code: string): boolean => /._OOM_./.test(code);

/**
 * Whether the ends of one worker's attempts, oldest first, take it out (EXC-6). Both conditions on kills for memory hold
 * together: a burst within 30 s is one fault, and three within ten minutes are a sick worker. A success ends the row of
 * failures and takes back no kill.
 */
export function findTrip<End extends AttemptEnd>(ends: readonly End[]): Trip<End> | null {
  let row: readonly End[] = [];
  const kills: End[] = [];
  for (const end of ends) {
    if (end.code === null) {
      row = [];
      continue;
    }
    if (!isOfOneDeath(row, end)) row = [...row, end];
    if (isOutOfMemory(end.code)) {
      kills.push(end);
      const apart = killsApart(kills);
      if (apart) return { cause: "oom", ends: apart };
    }
    if (row.length >= FAILURES_IN_A_ROW) return { cause: "row", ends: row };
  }
  return null;
}

function isOfOneDeath(row: readonly AttemptEnd[], end: AttemptEnd): boolean {
  if (end.code !== NODE_FAULTS.workerLost) return false;
  const lost = row.findLast(({ code }) => code === NODE_FAULTS.workerLost);
  return lost !== undefined && end.at.getTime() - lost.at.getTime() < LOST_TOGETHER_MS;
}

/** The last kill with those before it that are far enough from each other, looked for backwards: no other choice begins later. */
function killsApart<End extends AttemptEnd>(kills: readonly End[]): readonly End[] | null {
  const last = kills.at(-1);
  if (!last) return null;
  const apart = [last];
  for (const kill of kills.toReversed()) {
    const gapMs = (apart[0] ?? last).at.getTime() - kill.at.getTime();
    if (gapMs < OOM_APART_MS) continue;
    if (last.at.getTime() - kill.at.getTime() > OOM_WINDOW_MS) return null;
    apart.unshift(kill);
    if (apart.length === OOM_KILLS) return apart;
  }
  return null;
}
