import { describe, expect, it } from "vitest";
import type { ChangeLine, NextFire, Platform } from "../views";
import { groupChanges } from "./group-changes";
import { judgePlatform } from "./judge-platform";
import { firesByMinute } from "./next-hour";

const leader = { holder: "s1", epoch: 3, expiresAt: new Date(0), wheelLagMs: 4, failing: [] };
const worker = { id: "w1", groups: ["default"], slots: 4, alive: true, refusing: null, trouble: null };
const well: Platform = {
  database: "ok",
  leader,
  workers: [worker],
  queue: [],
  oldestReadyMs: 0,
  oldestOverdueMs: 0,
  unread: [],
};

describe("whether the platform itself is well (OBS-1)", () => {
  it("is well with a leader, a worker that takes nodes, and nothing overdue", () => {
    expect(judgePlatform(well).troubles).toBe(0);
  });

  it.each([
    ["no leader", { leader: null }],
    ["no worker", { workers: [] }],
    ["only dead workers", { workers: [{ ...worker, alive: false }] }],
    ["only workers that refuse", { workers: [{ ...worker, refusing: "disk" }] }],
    ["a lagging wheel", { leader: { holder: "s1", epoch: 3, expiresAt: new Date(0), wheelLagMs: 9_000, failing: [] } }],
    ["a duty that fails", { leader: { ...leader, failing: [{ name: "partitions", why: "permission denied" }] } }],
    ["a reading that did not come", { unread: ["queue" as const] }],
    ["a worker that lives and cannot work", { workers: [{ ...worker, trouble: "permission denied for table node_runs" }] }],
    ["something long overdue", { oldestOverdueMs: 60_000 }],
    ["work that nobody takes", { queue: [{ group: "default", queued: 3, oldestMs: 300_000 }] }],
    ["a database that is down", { database: "down" as const }],
  ])("%s is one trouble", (_, change) => {
    expect(judgePlatform({ ...well, ...change }).troubles).toBe(1);
  });

  it("says why workers of a group refuse, each reason once, also one that no word is known for (WRK-3)", () => {
    const refusing = ["disk", "disk", "quota"].map((why, n) => ({ ...worker, id: `w${n}`, refusing: why }));
    const [group] = judgePlatform({ ...well, workers: [worker, ...refusing] }).groups;
    expect(group).toMatchObject({ refusing: 3, reasons: ["disk", "other"], well: true });
  });

  it("a group with work and without any worker is shown and is in trouble", () => {
    const { groups } = judgePlatform({ ...well, queue: [{ group: "gpu", queued: 1, oldestMs: 10 }] });
    expect(groups.map(({ name, well: isWell }) => [name, isWell])).toEqual([
      ["default", true],
      ["gpu", false],
    ]);
  });
});

describe("the strip of the next hour (OBS-1)", () => {
  const fire = (ms: number, id: string): NextFire => ({
    fireAt: new Date(ms),
    schedule: { id: "s", name: "cron", timezone: "UTC" },
    pipeline: { id, name: id, title: id },
  });

  it("stacks fires of one minute, leaves out what is past or beyond, and marks what is broken", () => {
    const minutes = firesByMinute(
      [fire(-1, "a"), fire(10_000, "a"), fire(59_999, "b"), fire(120_000, "c"), fire(3_600_000, "d")],
      0,
      new Set(["b"]),
    );
    expect(minutes.map(({ at, fires, broken }) => [at, fires.length, broken])).toEqual([
      [0, 2, true],
      [2, 1, false],
    ]);
  });
});

describe("what changed in the last hour (OBS-1)", () => {
  const row = (verb: string, object: string, actor = "ada"): ChangeLine => ({
    id: `${verb} ${object} ${actor}`,
    seq: 1,
    at: new Date(0),
    actor: { kind: "user", id: actor, label: actor },
    verb,
    object: { kind: "pipeline", id: object, label: object },
    reason: null,
    before: null,
    after: null,
    source: {},
    requestId: "",
    hash: "",
  });

  it("an import of many and a draft that was saved often are one line each, and others stay apart", () => {
    const groups = groupChanges([
      row("pipeline.import", "a"),
      row("pipeline.import", "b"),
      row("pipeline.saveDraft", "a"),
      row("pipeline.saveDraft", "a"),
      row("pipeline.saveDraft", "a", "bob"),
    ]);
    expect(groups.map(({ newest, count, objects }) => [newest.verb, newest.actor.id, count, objects])).toEqual([
      ["pipeline.import", "ada", 2, 2],
      ["pipeline.saveDraft", "ada", 2, 1],
      ["pipeline.saveDraft", "bob", 1, 1],
    ]);
  });
});
