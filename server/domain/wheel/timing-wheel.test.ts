import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "@/db/testing/property";
import { type TimerHandle, TimingWheel } from "./timing-wheel";

const START = Date.parse("2026-06-01T12:34:56.789Z");
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const items = <T>(due: readonly { readonly item: T }[]) => due.map(({ item }) => item);

describe("the timing wheel (SCH-6)", () => {
  it("fires by the exact millisecond, in order of time (SCH-6)", () => {
    const wheel = new TimingWheel<string>(START);
    wheel.insert(START + 7, "c");
    wheel.insert(START + 3, "a");
    wheel.insert(START + 5, "b");
    expect(wheel.nextDueAt()).toBe(START + 3);
    expect(wheel.advance(START + 2)).toEqual([]);
    expect(wheel.advance(START + 5)).toEqual([
      { dueMs: START + 3, item: "a" },
      { dueMs: START + 5, item: "b" },
    ]);
    expect(wheel.nextDueAt()).toBe(START + 7);
    expect(items(wheel.advance(START + 7))).toEqual(["c"]);
    expect(wheel.nextDueAt()).toBeNull();
  });

  it.each([
    ["in mid second", START + 90 * SECOND],
    ["on the minute", Math.ceil(START / MINUTE) * MINUTE + MINUTE],
    ["on the hour", Math.ceil(START / HOUR) * HOUR],
  ])("timers of one moment %s fire in the order in which they were added, from whatever level they come (SCH-6)", (_name, due) => {
    const wheel = new TimingWheel<number>(START);
    wheel.insert(due, 1);
    wheel.advance(due - 30 * SECOND);
    wheel.insert(due, 2);
    wheel.advance(due - SECOND + 5);
    wheel.insert(due, 3);
    wheel.advance(due - 20);
    wheel.insert(due, 4);
    expect(items(wheel.advance(due))).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ["10 ms", 10],
    ["one second", SECOND],
    ["one minute", MINUTE],
    ["one hour", HOUR],
    ["one day", DAY],
    ["a month", 30 * DAY],
  ])("a timer %s ahead fires then, not a millisecond before (SCH-6)", (_name, ahead) => {
    for (const shift of [-1, 0, 1]) {
      const wheel = new TimingWheel<string>(START);
      const due = START + ahead + shift;
      wheel.insert(due, "x");
      expect(wheel.advance(due - 1)).toEqual([]);
      expect(items(wheel.advance(due))).toEqual(["x"]);
    }
  });

  it("a timer that is already due fires at once (SCH-6)", () => {
    const wheel = new TimingWheel<string>(START);
    wheel.insert(START - DAY, "late");
    wheel.insert(START, "now");
    expect(wheel.nextDueAt()).toBe(START - DAY);
    expect(items(wheel.advance(START))).toEqual(["late", "now"]);
  });

  it("a jump over a day hands out everything on the way, in order (SCH-6)", () => {
    const wheel = new TimingWheel<number>(START);
    const aheads = [3 * DAY, 25 * HOUR, 2 * HOUR, 5 * MINUTE, 61 * MINUTE, 3, 999, 1_001, 23 * HOUR];
    for (const ahead of aheads) wheel.insert(START + ahead, ahead);
    expect(items(wheel.advance(START + 4 * DAY))).toEqual([...aheads].sort((a, b) => a - b));
    expect(wheel.size).toBe(0);
  });

  it("a cancelled timer never fires, and cancelling twice or after the fire is refused (SCH-6)", () => {
    const wheel = new TimingWheel<string>(START);
    const first = wheel.insert(START + 5, "first");
    const second = wheel.insert(START + 6, "second");
    expect(wheel.cancel(first)).toBe(true);
    expect(wheel.cancel(first)).toBe(false);
    const reused = wheel.insert(START + 8, "reused");
    expect(wheel.cancel(first)).toBe(false);
    expect(items(wheel.advance(START + 10))).toEqual(["second", "reused"]);
    expect(wheel.cancel(second)).toBe(false);
    expect(wheel.cancel(reused)).toBe(false);
  });

  it("a clock that steps back loses nothing and repeats nothing (SCH-6, F14)", () => {
    const wheel = new TimingWheel<string>(START);
    wheel.insert(START + SECOND, "a");
    wheel.insert(START + HOUR, "b");
    expect(items(wheel.advance(START + MINUTE))).toEqual(["a"]);
    expect(wheel.advance(START - 10 * MINUTE)).toEqual([]);
    wheel.insert(START - 5 * MINUTE, "between");
    expect(wheel.advance(START - 6 * MINUTE)).toEqual([]);
    expect(items(wheel.advance(START - 5 * MINUTE))).toEqual(["between"]);
    expect(items(wheel.advance(START + HOUR))).toEqual(["b"]);
  });

  it("refuses a time that is none (SCH-6)", () => {
    const wheel = new TimingWheel<string>(START);
    expect(() => wheel.insert(Number.NaN, "x")).toThrow(RangeError);
    expect(wheel.size).toBe(0);
  });
});

type Command =
  | { readonly kind: "insert"; readonly aheadMs: number }
  | { readonly kind: "cancel"; readonly pick: number }
  | { readonly kind: "advance"; readonly byMs: number }
  /** A new leader begins with an empty wheel, and fills it from what is stored. */
  | { readonly kind: "rebuild" };

const aheads = fc.oneof(
  fc.integer({ min: -2 * SECOND, max: 40 }),
  fc.integer({ min: 0, max: 3 * SECOND }),
  fc.integer({ min: 0, max: 3 * MINUTE }),
  fc.integer({ min: 0, max: 3 * HOUR }),
  fc.integer({ min: 0, max: 3 * DAY }),
  fc.constantFrom(10, SECOND, MINUTE, HOUR, DAY, DAY + HOUR, 999, 1_001),
);
const jumps = fc.oneof(
  fc.integer({ min: 0, max: 25 }),
  fc.integer({ min: 0, max: 2 * SECOND }),
  fc.integer({ min: 0, max: 2 * MINUTE }),
  fc.integer({ min: 0, max: 2 * HOUR }),
  fc.integer({ min: 0, max: 2 * DAY }),
  fc.integer({ min: -10 * MINUTE, max: 0 }),
);
const commands: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: aheads.map((aheadMs): Command => ({ kind: "insert", aheadMs })) },
  { weight: 2, arbitrary: fc.nat({ max: 1_000 }).map((pick): Command => ({ kind: "cancel", pick })) },
  { weight: 3, arbitrary: jumps.map((byMs): Command => ({ kind: "advance", byMs })) },
  { weight: 1, arbitrary: fc.constant<Command>({ kind: "rebuild" }) },
);

interface Waiting {
  readonly id: number;
  readonly dueMs: number;
  handle: TimerHandle;
}

/** The same promises kept by a plain list. */
class Model {
  waiting: Waiting[] = [];

  constructor(public now: number) {}

  /** A wheel that holds what still waits, however long that has been due. */
  rebuilt(): TimingWheel<number> {
    const wheel = new TimingWheel<number>(this.now);
    for (const timer of this.waiting) timer.handle = wheel.insert(timer.dueMs, timer.id);
    return wheel;
  }

  due(): Waiting[] {
    const due = this.waiting.filter(({ dueMs }) => dueMs <= this.now).sort((a, b) => a.dueMs - b.dueMs || a.id - b.id);
    this.waiting = this.waiting.filter(({ dueMs }) => dueMs > this.now);
    return due;
  }
}

/** Answers with the wheel that goes on. */
function play(wheel: TimingWheel<number>, model: Model, command: Command, id: number): TimingWheel<number> {
  switch (command.kind) {
    case "insert": {
      const dueMs = model.now + command.aheadMs;
      model.waiting.push({ id, dueMs, handle: wheel.insert(dueMs, id) });
      return wheel;
    }
    case "cancel": {
      const [taken] = model.waiting.splice(command.pick % Math.max(1, model.waiting.length), 1);
      if (taken !== undefined) expect(wheel.cancel(taken.handle)).toBe(true);
      return wheel;
    }
    case "advance":
      model.now += command.byMs;
      expect(wheel.advance(model.now)).toEqual(model.due().map((timer) => ({ dueMs: timer.dueMs, item: timer.id })));
      return wheel;
    case "rebuild":
      return model.rebuilt();
  }
}

describe("the wheel against a sorted list (SCH-6, invariant 17)", () => {
  it("any mix of inserts, cancels, jumps, steps back and rebuilds gives the same fires in the same order, each at its time and none lost (SCH-6, B31)", () => {
    fc.assert(
      fc.property(fc.array(commands, { maxLength: 120 }), fc.nat({ max: DAY }), (script, offset) => {
        let wheel = new TimingWheel<number>(START + offset);
        const model = new Model(START + offset);
        script.forEach((command, id) => {
          wheel = play(wheel, model, command, id);
          expect(wheel.size).toBe(model.waiting.length);
          const earliest = Math.min(...model.waiting.map(({ dueMs }) => dueMs));
          const next = wheel.nextDueAt();
          if (model.waiting.length === 0) expect(next).toBeNull();
          else expect(next).toBeLessThanOrEqual(earliest);
        });
        model.now += 10 * DAY;
        expect(items(wheel.advance(model.now))).toEqual(model.due().map(({ id }) => id));
      }),
      runs(400),
    );
  });

  it("a timer armed by nextDueAt fires each one at its very millisecond (SCH-6)", () => {
    fc.assert(
      fc.property(fc.array(aheads, { maxLength: 60 }), fc.array(fc.nat({ max: 100 }), { maxLength: 20 }), (dues, cancels) => {
        const wheel = new TimingWheel<number>(START);
        const handles = dues.map((ahead) => wheel.insert(START + ahead, Math.max(START, START + ahead)));
        for (const pick of cancels) wheel.cancel(handles[pick] ?? -1);
        const expected = wheel.size;
        let fired = 0;
        let wakes = 0;
        for (let at = wheel.nextDueAt(); at !== null; at = wheel.nextDueAt()) {
          const now = Math.max(START, at);
          const due = wheel.advance(now);
          for (const { item } of due) expect(item).toBe(now);
          fired += due.length;
          wakes++;
        }
        expect(fired).toBe(expected);
        expect(wakes).toBeLessThanOrEqual(2 * dues.length + 1);
      }),
      runs(200),
    );
  });

  it("a hundred thousand timers over a day all fire, in order, without one list growing out of hand (SCH-6)", () => {
    const wheel = new TimingWheel<number>(START);
    const count = 100_000;
    for (let index = 0; index < count; index++) wheel.insert(START + ((index * 7_919) % DAY), index);
    let last = 0;
    let fired = 0;
    let inOrder = true;
    for (let now = START; wheel.size > 0; now += 10 * MINUTE) {
      for (const { dueMs } of wheel.advance(now)) {
        inOrder &&= dueMs >= last && dueMs <= now;
        last = dueMs;
        fired++;
      }
    }
    expect(fired).toBe(count);
    expect(inOrder).toBe(true);
  });
});
