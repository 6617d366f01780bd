import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "@/db/testing/property";
import {
  type Breaker,
  type BreakerEvent,
  type BreakerStep,
  closedBreaker,
  moveBreaker,
  OPEN_MS,
  PROBE_EVERY_MS,
  takesNone,
} from "./breaker";

const START = Date.parse("2026-03-01T02:00:00Z");
const at = (minutes: number) => new Date(START + minutes * 60_000);

/** `0 trip, 5 look, 5 pass`: minutes after two at night, and what happens then. Answers with the states and changes. */
function play(text: string): { readonly breaker: Breaker; readonly told: readonly string[] } {
  let breaker = closedBreaker(at(0));
  const told: string[] = [];
  for (const each of text.split(",")) {
    const [minutes = "", word = ""] = each.trim().split(" ");
    const probeId = breaker.probe?.id ?? "none";
    const event: Record<string, BreakerEvent> = {
      trip: { kind: "tripped" },
      look: { kind: "timePassed", probeId: `probe-${minutes}` },
      gone: { kind: "timePassed", probeId: null },
      pass: { kind: "probed", probeId, ok: true },
      fail: { kind: "probed", probeId, ok: false },
      old: { kind: "probed", probeId: "another", ok: true },
      hold: { kind: "holdRequested" },
      release: { kind: "releaseRequested" },
      close: { kind: "closeRequested" },
    };
    const found = event[word];
    if (!found) throw new Error(`no event is called ${word}`);
    const step = moveBreaker(breaker, found, at(Number(minutes)));
    breaker = step.next;
    told.push(...step.changes.map((change) => `${minutes} ${change}`));
  }
  return { breaker, told };
}

describe("a breaker", () => {
  it.each([
    ["is open for 30 min and is probed first after five", "0 trip, 4 look, 5 look", "open", "0 opened, 5 probeAsked"],
    [
      "is closed early by three probes in a row",
      "0 trip, 5 look, 5 pass, 10 look, 10 pass, 15 look, 15 pass",
      "closed",
      "0 opened, 5 probeAsked, 5 probeSucceeded, 10 probeAsked, 10 probeSucceeded, 15 probeAsked, 15 probeSucceeded, 15 restored",
    ],
    [
      "counts anew after a probe that failed",
      "0 trip, 5 look, 5 pass, 10 look, 10 pass, 15 look, 15 fail, 20 look, 20 pass, 25 look, 25 pass",
      "open",
      "0 opened, 5 probeAsked, 5 probeSucceeded, 10 probeAsked, 10 probeSucceeded, 15 probeAsked, 15 probeFailed, 20 probeAsked, 20 probeSucceeded, 25 probeAsked, 25 probeSucceeded",
    ],
    ["is probing once its time is over, and stays out", "0 trip, 30 gone, 90 gone", "probing", "0 opened, 30 timeOver"],
    [
      "is closed late by three probes in a row",
      "0 trip, 31 look, 31 pass, 36 look, 36 pass, 41 look, 41 pass",
      "closed",
      "0 opened, 31 timeOver, 31 probeAsked, 31 probeSucceeded, 36 probeAsked, 36 probeSucceeded, 41 probeAsked, 41 probeSucceeded, 41 restored",
    ],
    [
      "takes a probe without an answer as failed",
      "0 trip, 5 look, 5 pass, 10 look, 11 look",
      "open",
      "0 opened, 5 probeAsked, 5 probeSucceeded, 10 probeAsked, 11 probeFailed",
    ],
    ["asks a worker that is gone for nothing", "0 trip, 5 gone, 10 gone", "open", "0 opened"],
    ["does not take the answer to another probe", "0 trip, 5 look, 5 old", "open", "0 opened, 5 probeAsked"],
    ["that a person holds never clears itself", "0 hold, 5 look, 60 look, 9999 look, 9999 pass, 9999 trip", "held", "0 held"],
    [
      "that is open can be held, and no time lets go of it",
      "0 trip, 5 look, 6 hold, 40 look, 99 look",
      "held",
      "0 opened, 5 probeAsked, 6 held",
    ],
    ["that a person releases takes nodes", "0 hold, 600 release", "closed", "0 held, 600 released"],
    ["is closed by hand", "0 trip, 3 close", "closed", "0 opened, 3 closedByHand"],
    ["does not open twice", "0 trip, 1 trip", "open", "0 opened"],
  ])("%s (EXC-6)", (_what, story, state, told) => {
    const played = play(story);
    expect(played.breaker.state).toBe(state);
    expect(played.told.join(", ")).toBe(told);
  });

  it.each([
    ["0 hold, 1 hold", "held already"],
    ["0 hold, 1 close", "release it"],
    ["0 release", "not held"],
    ["0 close", "closed already"],
    ["0 trip, 1 release", "its breaker is open"],
  ])("refuses %s with the reason (EXC-6)", (story, why) => {
    expect(() => play(story)).toThrow(why);
  });
});

const event: fc.Arbitrary<BreakerEvent> = fc.oneof(
  fc
    .constantFrom("tripped" as const, "holdRequested" as const, "releaseRequested" as const, "closeRequested" as const)
    .map((kind) => ({ kind })),
  fc.record({ kind: fc.constant("timePassed" as const), probeId: fc.option(fc.constantFrom("p", "q")) }),
  fc.record({ kind: fc.constant("probed" as const), probeId: fc.constantFrom("p", "q"), ok: fc.boolean() }),
);
const story = fc.array(fc.record({ gapS: fc.integer({ min: 0, max: 900 }), event }), { maxLength: 60 });

function eachStep(
  list: readonly { gapS: number; event: BreakerEvent }[],
  look: (before: Breaker, made: BreakerEvent, step: BreakerStep, now: Date) => void,
) {
  let breaker = closedBreaker(at(0));
  let nowMs = START;
  for (const { gapS, event: made } of list) {
    nowMs += gapS * 1_000;
    const now = new Date(nowMs);
    try {
      const step = moveBreaker(breaker, made, now);
      look(breaker, made, step, now);
      breaker = step.next;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes("cannot be changed so")) throw error;
    }
  }
}

it("in any story: only a person ends a hold, and only three probes or a person bring a worker back (EXC-6)", () => {
  fc.assert(
    fc.property(story, (list) => {
      let passed = 0;
      eachStep(list, (before, made, { next, changes }) => {
        for (const change of changes) {
          if (change === "probeSucceeded") passed++;
          else if (change !== "probeAsked" && change !== "timeOver" && change !== "restored") passed = 0;
        }
        if (before.state === "held" && next.state !== "held") expect(made.kind).toBe("releaseRequested");
        if (takesNone(before.state) && !takesNone(next.state) && made.kind === "probed") expect(passed).toBe(3);
        if (takesNone(before.state) && !takesNone(next.state))
          expect(["probed", "releaseRequested", "closeRequested"]).toContain(made.kind);
        if (changes.includes("restored")) passed = 0;
      });
    }),
    runs(2_000),
  );
});

it("in any story: no change means the same breaker, probes are five minutes apart, and its time out lasts 30 min (EXC-6)", () => {
  fc.assert(
    fc.property(story, (list) => {
      let askedMs = Number.NEGATIVE_INFINITY;
      eachStep(list, (before, _made, { next, changes }, now) => {
        if (changes.length === 0) expect(next).toEqual(before);
        if (changes.includes("opened")) askedMs = now.getTime();
        if (changes.includes("probeAsked")) {
          expect(now.getTime() - askedMs).toBeGreaterThanOrEqual(PROBE_EVERY_MS);
          askedMs = now.getTime();
        }
        expect(next.state === "open").toBe(next.until !== null);
        if (next.until) expect(next.until.getTime() - next.since.getTime()).toBe(OPEN_MS);
      });
    }),
    runs(2_000),
  );
});
