import { describe, expect, it } from "vitest";
import { boundSchema, DEFAULT_BOUND, leavesBound, successesThatClear } from "./bound";
import { mayGo, moveValve, type Valve } from "./valve";

const bound = { ...DEFAULT_BOUND, enabled: true };
const at = new Date("2026-05-04T08:00:00Z");
const deferring: Valve = { state: "closed", rate: null, releasingSince: null, releasedAtRate: 0, deferring: true };
const trickling = moveValve(deferring, { kind: "trickleBegun", rate: 2 }, at);

describe("a task's bound", () => {
  for (const [failed, succeeded, leaves] of [
    [19, 0, false],
    [20, 0, true],
    [10, 10, false],
    [11, 10, true],
    [11, 11, false],
    [9, 0, false],
  ] as const) {
    it(`${failed} failed and ${succeeded} succeeded ${leaves ? "leave" : "keep"} a bound of 50 % from 20 ends on (EXC-10)`, () => {
      expect(leavesBound(bound, { failed, succeeded })).toBe(leaves);
    });
  }

  it("is never left while it is off, which is the default (EXC-10)", () => {
    expect(leavesBound(DEFAULT_BOUND, { failed: 500, succeeded: 0 })).toBe(false);
    expect(boundSchema.parse(DEFAULT_BOUND)).toEqual(DEFAULT_BOUND);
  });

  it("needs no more successes counted than clear it, for every bound (EXC-10)", () => {
    for (let percent = 1; percent <= 99; percent++) {
      for (const failed of [1, 7, 20, 333]) {
        const of = { ...bound, percent };
        const enough = successesThatClear(of, failed);
        expect(leavesBound(of, { failed, succeeded: enough })).toBe(false);
        for (const more of [1, 10, 1_000]) expect(leavesBound(of, { failed, succeeded: enough + more })).toBe(false);
        for (let fewer = 0; fewer < enough; fewer += 1 + Math.floor(enough / 5)) {
          expect(leavesBound(of, { failed, succeeded: fewer })).toBe(failed + fewer >= of.minimum);
        }
      }
    }
  });
});

describe("a valve that defers a task", () => {
  it("lets a trickle go and does not end by being empty, only by recovery or by hand (EXC-10)", () => {
    expect(trickling).toMatchObject({ state: "releasing", rate: 2, deferring: true });
    expect(moveValve(trickling, { kind: "emptied" }, at)).toMatchObject({ state: "releasing" });
    const well = moveValve(trickling, { kind: "recovered", rate: 600 }, at);
    expect(well).toMatchObject({ state: "releasing", rate: 600, deferring: false });
    expect(moveValve(well, { kind: "emptied" }, at)).toMatchObject({ state: "ended" });
  });

  it("goes back to a trickle where what has recovered fails as before (EXC-10)", () => {
    const well = moveValve(trickling, { kind: "recovered", rate: 600 }, at);
    expect(moveValve(well, { kind: "relapsed", rate: 2 }, at)).toMatchObject({ state: "releasing", rate: 2, deferring: true });
    expect(moveValve(trickling, { kind: "relapsed", rate: 9 }, at)).toBe(trickling);
  });

  it("is a person's from the moment that one stops or releases it (EXC-10)", () => {
    const stopped = moveValve(trickling, { kind: "stopRequested" }, at);
    expect(stopped).toMatchObject({ state: "closed", deferring: false });
    expect(moveValve(stopped, { kind: "trickleBegun", rate: 2 }, at)).toBe(stopped);
    expect(moveValve(stopped, { kind: "recovered", rate: 600 }, at)).toBe(stopped);
    expect(moveValve(trickling, { kind: "releaseRequested", rate: 9 }, at)).toMatchObject({ deferring: false, rate: 9 });
  });

  it("saves up nothing while nothing waits: what comes then goes by its rate (EXC-10)", () => {
    const later = new Date(at.getTime() + 3_600_000);
    expect(mayGo(trickling, later)).toBe(121);
    const idle = moveValve(trickling, { kind: "emptied" }, later);
    expect(mayGo(idle, later)).toBe(1);
  });
});
