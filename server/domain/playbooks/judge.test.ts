import { describe, expect, it } from "vitest";
import {
  CIRCULATES,
  judgeAttempt,
  judgeBreaker,
  judgeChanges,
  judgeCodes,
  judgeHistory,
  judgeKeys,
  judgeMemory,
  judgeOutput,
  judgePlaces,
  judgeRate,
  judgeStacks,
  judgeTrips,
  judgeUsual,
} from "./judge";
import { SHIPPED_PLAYBOOKS, shippedFor } from "./shipped";

const now = new Date("2026-03-01T12:00:00Z");
const running = { state: "RUNNING", now };
const over = { state: "SUCCESS", now };
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const host = { worker: "w-1", isThere: true, limitEnds: null, load: 1, cores: 4 };
const hour = (...last: number[]) => [...Array.from({ length: 60 - last.length }, () => 0), ...last];
const cells = { kind: "told", blames: [{ kind: "worker", worker: "w-1", codes: 4, count: 9 }] } as const;
const job = { kind: "told", blames: [{ kind: "job", code: "A_B_1", workers: 3, count: 9 }] } as const;

describe("a node that stays in RUNNING", () => {
  it.each([
    ["ended meanwhile", judgeHistory(over, 1), "not_running"],
    ["was started again and again", judgeHistory(running, CIRCULATES), "circulates"],
    ["was started once", judgeHistory(running, 1), "running"],
    ["has no worker any more", judgeAttempt(running, { ...host, isThere: false }), "worker_gone"],
    ["never had one", judgeAttempt(running, null), "worker_gone"],
    ["is past its limit", judgeAttempt(running, { ...host, limitEnds: ago(1) }), "over_limit"],
    ["has a worker under too much load", judgeAttempt(running, { ...host, load: 4.1 }), "overloaded"],
    ["has a worker that is well", judgeAttempt(running, { ...host, limitEnds: new Date(now.getTime() + 1) }), "alive"],
    ["has written nothing", judgeOutput(running, null), "never"],
    ["has been silent", judgeOutput(running, ago(6)), "silent"],
    ["still writes", judgeOutput(running, ago(5)), "writing"],
    ["has no history to compare with", judgeUsual(running, { runsForMs: 9, counted: 4, p95Ms: 1 }), "no_history"],
    ["takes as long as ever", judgeUsual(running, { runsForMs: 9, counted: 5, p95Ms: 9 }), "usual"],
    ["takes longer than ever", judgeUsual(running, { runsForMs: 18, counted: 5, p95Ms: 9 }), "beyond"],
  ])("and %s is told so (INC-4)", (_, { word }, expected) => {
    expect(word).toBe(expected);
  });
});

describe("a code", () => {
  it.each([
    ["that came not at all", judgeRate(hour()), "quiet"],
    ["of 51 in one minute", judgeRate(hour(51, 0)), "burst"],
    ["of 50 in one minute of many", judgeRate(Array.from({ length: 60 }, () => 50)), "steady"],
    ["that has begun to come", judgeRate(hour(2, 3)), "rising"],
    [
      "of one stack",
      judgeStacks([
        { name: "abc", count: 8 },
        { name: "d", count: 2 },
      ]),
      "one_cause",
    ],
    [
      "of several stacks",
      judgeStacks([
        { name: "abc", count: 7 },
        { name: "d", count: 3 },
      ]),
      "several",
    ],
    [
      "without stacks",
      judgeStacks([
        { name: null, count: 7 },
        { name: "d", count: 3 },
      ]),
      "no_stack",
    ],
    ["of one business key", judgeKeys([{ name: "shop=7", count: 5 }], 10), "one_key"],
    ["of many business keys", judgeKeys([{ name: "shop=7", count: 4 }], 10), "spread"],
    ["without business keys", judgeKeys([], 10), "no_keys"],
    [
      "on one worker of two",
      judgePlaces({ workers: [{ name: "w", count: 5 }], versions: [{ name: "p v1", count: 5 }], liveWorkers: 2 }),
      "one_worker",
    ],
    [
      "on the only worker",
      judgePlaces({ workers: [{ name: "w", count: 5 }], versions: [{ name: "p v1", count: 5 }], liveWorkers: 1 }),
      "one_version",
    ],
    ["before which something was changed", judgeChanges(now, 1), "changed"],
    ["before which nothing was changed", judgeChanges(now, 0), "nothing"],
    ["that has not come lately", judgeChanges(null, 0), "none"],
  ])("%s is told so (INC-4)", (_, { word }, expected) => {
    expect(word).toBe(expected);
  });
});

describe("a worker", () => {
  const breaker = { worker: "w-1", isKnown: true, isLive: true, state: "closed" } as const;
  it.each([
    ["that nobody knows", judgeBreaker({ ...breaker, isKnown: false }), "unknown"],
    ["that is gone", judgeBreaker({ ...breaker, isLive: false }), "gone"],
    ["that is out", judgeBreaker({ ...breaker, state: "open" }), "open"],
    ["on which everything fails", judgeCodes("w-1", cells, ["X_Y_1"]), "worker"],
    ["beside one on which everything fails", judgeCodes("w-2", cells, ["X_Y_1"]), "apart"],
    ["whose job fails everywhere", judgeCodes("w-1", job, ["A_B_1"]), "job"],
    ["that does not run the job which fails everywhere", judgeCodes("w-1", job, ["X_Y_1"]), "apart"],
    ["whose attempts were killed for memory", judgeMemory(true, 1, 0.1), "killed"],
    ["whose memory is nearly full", judgeMemory(true, 0, 0.9), "tight"],
    ["that has memory", judgeMemory(true, 0, 0.89), "enough"],
    ["that was out twice", judgeTrips(true, 2), "often"],
    ["that was never out", judgeTrips(true, 0), "never"],
  ])("%s is told so (INC-4)", (_, { word }, expected) => {
    expect(word).toBe(expected);
  });
});

it("each shipped playbook is offered for its codes, and the one for every code stands last (INC-4)", () => {
  const keys = (code: string) => shippedFor(code).map(({ key }) => key);
  expect(keys("APOLLO_NODE_TIMEOUT_504")).toEqual(["stuck-running", "code-bursts"]);
  expect(keys("APOLLO_WORKER_OOM_137")).toEqual(["tripping-worker", "code-bursts"]);
  expect(keys("SHOP_STOCK_SHORTAGE_409")).toEqual(["code-bursts"]);
  expect(new Set(SHIPPED_PLAYBOOKS.flatMap(({ checks }) => checks)).size).toBe(13);
});
