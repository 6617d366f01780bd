import { describe, expect, it } from "vitest";
import { mayGo, moveValve, VALVE_STATES, type Valve, type ValveEvent, type ValveState } from "./valve";

const at = new Date(1_000_000);
const valve = (state: ValveState): Valve => ({ state, rate: null, releasingSince: null, releasedAtRate: 0, deferring: false });
const EVENTS: readonly ValveEvent[] = [
  { kind: "settled" },
  { kind: "releaseRequested", rate: 60 },
  { kind: "stopRequested" },
  { kind: "emptied" },
];

describe("a stop valve", () => {
  it("moves by its table alone, and refuses what a person may not (RUN-12)", () => {
    const table = VALVE_STATES.map((state) =>
      EVENTS.map((event) => {
        try {
          return moveValve(valve(state), event, at).state;
        } catch {
          return "refused";
        }
      }),
    );
    expect(table).toEqual([
      ["closed", "refused", "refused", "closing"],
      ["closed", "releasing", "refused", "closed"],
      ["releasing", "releasing", "closed", "ended"],
      ["ended", "refused", "refused", "ended"],
    ]);
  });

  it("lets go what its rate has earned and no more: the first at once, then one a second at 60 a minute (RUN-12)", () => {
    const releasing = moveValve(valve("closed"), { kind: "releaseRequested", rate: 60 }, at);
    const goesAt = (ms: number, releasedAtRate = 0) => mayGo({ ...releasing, releasedAtRate }, new Date(at.getTime() + ms));
    expect([goesAt(0), goesAt(999), goesAt(1_000), goesAt(60_000), goesAt(60_000, 61), goesAt(-5_000)]).toEqual([1, 1, 2, 61, 0, 1]);
    expect(mayGo(valve("closed"), at)).toBe(0);
  });

  it("begins to count anew where its rate is changed, so that a higher one lets no burst go (RUN-12)", () => {
    const slow = moveValve(valve("closed"), { kind: "releaseRequested", rate: 1 }, at);
    const later = new Date(at.getTime() + 3_600_000);
    expect(mayGo(moveValve({ ...slow, releasedAtRate: 60 }, { kind: "releaseRequested", rate: 600 }, later), later)).toBe(1);
  });
});
