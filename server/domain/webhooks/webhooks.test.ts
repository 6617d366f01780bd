import { describe, expect, test } from "vitest";
import { GIVE_UP_MS, type Health, judgeHealth, pauseMs, restMs } from "./retry";
import { EVENT_TYPES, eventPatternSchema, typeOfRunEvent, wants } from "./told-events";

const NOW = new Date("2026-12-01T00:00:00Z");
const well: Health = { failures: 0, failingSince: null, resumeAt: null };
const failed = { kind: "failed", status: 500, error: "it answered 500", forGood: false } as const;

describe("what is told (EXC-4)", () => {
  test.each([
    [null, "PENDING", "RUNNING", "run.started"],
    [null, "PAUSED", "RUNNING", "run.resumed"],
    [null, "RUNNING", "SUCCESS", "run.succeeded"],
    [null, "RUNNING", "FAILED", "run.failed"],
    [null, "RUNNING", "PAUSED", "run.paused"],
    [null, "RUNNING", "CANCELED", "run.canceled"],
    ["a", "RUNNING", "FAILED", "node.failed"],
    ["a", "RUNNING", "TIMEOUT", "node.timed_out"],
    ["a", "RUNNING", "MANUAL_REVIEW", "node.to_review"],
    ["a", "QUEUED", "RUNNING", null],
    ["a", "RUNNING", "SUCCESS", null],
    [null, null, null, null],
  ])("node %s from %s to %s is %s", (nodeKey, from, to, type) => {
    expect(typeOfRunEvent({ nodeKey, from, to })).toBe(type);
  });

  test("a pattern means types, and one that means none is refused", () => {
    expect(EVENT_TYPES.filter((type) => wants(["run.*", "node.failed"], type))).toEqual([
      ...EVENT_TYPES.filter((type) => type.startsWith("run.")),
      "node.failed",
    ]);
    expect(wants(["*"], "code.proposed")).toBe(true);
    expect(wants(["run.failed"], "run.failed_too")).toBe(false);
    expect(eventPatternSchema.safeParse("runs.*").success).toBe(false);
    expect(eventPatternSchema.safeParse("*.opened").success).toBe(true);
  });
});

describe("a subscriber that fails (EXC-4)", () => {
  test("an event's pauses grow to two hours and never shrink", () => {
    const pauses = Array.from({ length: 12 }, (_, index) => pauseMs(index + 1, 1));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect([pauses[0], pauses.at(-1)]).toEqual([5_000, 7_200_000]);
  });

  test("a dead one is asked more and more seldom, and off after a day; what it takes makes it well", () => {
    expect([1, 2, 3, 4, 20].map(restMs)).toEqual([0, 0, 8_000, 16_000, 300_000]);
    const first = judgeHealth(well, failed, NOW);
    expect(first).toEqual({ kind: "on", health: { failures: 1, failingSince: NOW, resumeAt: null } });
    const later = new Date(NOW.getTime() + GIVE_UP_MS);
    expect(judgeHealth({ ...well, failures: 9, failingSince: NOW }, failed, new Date(later.getTime() - 1))).toMatchObject({ kind: "on" });
    expect(judgeHealth({ ...well, failures: 9, failingSince: NOW }, failed, later)).toMatchObject({ kind: "disable" });
    expect(judgeHealth({ ...well, failures: 9, failingSince: NOW }, { kind: "sent", status: 200 }, later)).toEqual({
      kind: "on",
      health: well,
    });
  });

  test("what is gone is off at once; what asks for time gets it and has not failed", () => {
    expect(judgeHealth(well, { ...failed, status: 410 }, NOW)).toMatchObject({ kind: "disable" });
    expect(judgeHealth(well, { kind: "limited", status: 429, afterMs: 7_000 }, NOW)).toEqual({
      kind: "on",
      health: { ...well, resumeAt: new Date(NOW.getTime() + 7_000) },
    });
  });
});
