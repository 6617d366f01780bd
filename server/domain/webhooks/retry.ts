import type { Answer } from "@/server/domain/alert/channel";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Between the tries of one event; the last holds from then on. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE, 120 * MINUTE] as const;
/** An event is tried for so long, and a subscriber that has taken nothing for so long is switched off. */
export const GIVE_UP_MS = 24 * 60 * MINUTE;
/** Of failures in a row before a subscriber as a whole is left alone for a while. */
const FAILURES_BORNE = 3;
const LONGEST_REST_MS = 5 * MINUTE;
/** So long the secret before the newest one signs too. */
export const OVERLAP_MS = 24 * 60 * MINUTE;

/** How long to wait before an event's next try. `random` from 0 to 1 keeps those that failed together apart. */
export function pauseMs(tries: number, random: number): number {
  const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? PAUSES_MS[0];
  return Math.round(pause * (0.8 + 0.2 * random));
}

/** How long a subscriber is left alone after so many failures in a row: one that is dead is asked seldom, whatever waits for it. */
export const restMs = (failures: number): number =>
  failures < FAILURES_BORNE ? 0 : Math.min(LONGEST_REST_MS, 2 ** Math.min(failures, 10) * SECOND);

export interface Health {
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly resumeAt: Date | null;
}

export type Verdict = { readonly kind: "on"; readonly health: Health } | { readonly kind: "disable"; readonly why: string };

/** How a subscriber stands after an answer. */
export function judgeHealth(before: Health, answer: Answer, now: Date): Verdict {
  const after = (ms: number) => new Date(now.getTime() + ms);
  switch (answer.kind) {
    case "sent":
      return { kind: "on", health: { failures: 0, failingSince: null, resumeAt: null } };
    case "limited":
      return { kind: "on", health: { ...before, resumeAt: after(answer.afterMs) } };
    case "failed": {
      if (answer.status === 410) return { kind: "disable", why: "it answered 410: the address is gone" };
      const failures = before.failures + 1;
      const failingSince = before.failingSince ?? now;
      if (now.getTime() - failingSince.getTime() >= GIVE_UP_MS) {
        return { kind: "disable", why: `it has taken nothing for ${GIVE_UP_MS / (60 * MINUTE)} h: ${answer.error}` };
      }
      const rest = restMs(failures);
      return { kind: "on", health: { failures, failingSince, resumeAt: rest === 0 ? null : after(rest) } };
    }
  }
}
