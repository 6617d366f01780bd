import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OVERLAP_POLICIES } from "../pipeline/definition";
import { DEFAULT_OVERLAP_LIMITS, decideOverlap } from "./overlap";

const IDLE = { active: 0, waiting: 0 };
const BUSY = { active: 1, waiting: 0 };
const kinds = (...args: Parameters<typeof decideOverlap>) =>
  decideOverlap(...args).map((verdict) => ("reason" in verdict ? verdict.reason : verdict.kind));

describe("overlap (SCH-3)", () => {
  test("skip: a fire that comes while the one before is live is skipped", () => {
    expect(kinds("skip", IDLE, 1)).toEqual(["start"]);
    expect(kinds("skip", BUSY, 1)).toEqual(["overlap_skip"]);
    expect(kinds("skip", { active: 0, waiting: 1 }, 1)).toEqual(["overlap_skip"]);
    expect(kinds("skip", IDLE, 3)).toEqual(["start", "overlap_skip", "overlap_skip"]);
  });

  test("queue: ten may wait, the eleventh is skipped", () => {
    expect(kinds("queue", IDLE, 2)).toEqual(["start", "wait"]);
    expect(kinds("queue", { active: 1, waiting: 9 }, 2)).toEqual(["wait", "queue_full"]);
    expect(kinds("queue", IDLE, 13)).toEqual(["start", ...Array<string>(10).fill("wait"), "queue_full", "queue_full"]);
  });

  test("allow: a run that never ends stops at the cap, with a reason (B29)", () => {
    expect(kinds("allow", { active: 99, waiting: 0 }, 2)).toEqual(["start", "overlap_cap"]);
    expect(kinds("allow", { active: 60, waiting: 40 }, 1)).toEqual(["overlap_cap"]);
  });

  test("cancel_previous: the newest one replaces what is live and what came with it", () => {
    expect(kinds("cancel_previous", IDLE, 1)).toEqual(["start"]);
    expect(kinds("cancel_previous", BUSY, 1)).toEqual(["cancelPrevious"]);
    expect(kinds("cancel_previous", BUSY, 3)).toEqual(["replaced", "replaced", "cancelPrevious"]);
  });

  test("whatever is live, no policy goes past its bound and every fire has a verdict", () => {
    const small = fc.integer({ min: 0, max: 120 });
    fc.assert(
      fc.property(
        fc.constantFrom(...OVERLAP_POLICIES),
        small,
        small,
        fc.integer({ min: 0, max: 150 }),
        (policy, active, waiting, fires) => {
          const verdicts = decideOverlap(policy, { active, waiting }, fires);
          expect(verdicts).toHaveLength(fires);
          const started = verdicts.filter((verdict) => verdict.kind === "start").length;
          const queued = verdicts.filter((verdict) => verdict.kind === "wait").length;
          if (policy !== "allow") expect(started).toBeLessThanOrEqual(active + waiting === 0 ? 1 : 0);
          else expect(active + waiting + started).toBeLessThanOrEqual(Math.max(active + waiting, DEFAULT_OVERLAP_LIMITS.live));
          expect(queued === 0 || waiting + queued <= DEFAULT_OVERLAP_LIMITS.waiting).toBe(true);
        },
      ),
    );
  });
});
