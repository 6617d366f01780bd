import { describe, expect, it } from "vitest";
import { activeRun, failureOf, node, planFor, ToldRun, waitNode } from "@/db/testing/plans";

const SECOND = 1_000;
const HOUR = 3_600_000;

describe("a run's course", () => {
  it("stays PENDING until its turn comes, then its roots are ready (RUN-1)", () => {
    const run = new ToldRun(planFor([node("a"), node("b", ["a"])]));
    expect(run.tell({ kind: "claimed", key: "a", token: 1 }).kind).toBe("superseded");
    expect(run.facts.state).toBe("PENDING");
    run.tell({ kind: "activated" });
    expect(run.facts.state).toBe("RUNNING");
    expect(run.states()).toEqual({ a: "QUEUED", b: "PENDING" });
    expect(run.tell({ kind: "activated" }).kind).toBe("refused");
  });

  it("ends at once when it has no node (RUN-1)", () => {
    expect(activeRun([]).facts.state).toBe("SUCCESS");
  });

  it("makes a join ready once, with the last of its parents (B60, B61)", () => {
    const parents = Array.from({ length: 100 }, (_, n) => `p${n}`);
    const run = activeRun([...parents.map((key) => node(key)), node("join", parents)]);
    run.claim(...parents);
    for (const [index, key] of parents.entries()) {
      run.succeed(key);
      expect(run.node("join").state).toBe(index < 99 ? "PENDING" : "QUEUED");
    }
  });

  it("runs other branches on when a node fails for good, and then waits for a person (RUN-2)", () => {
    const run = activeRun([node("bad"), node("after", ["bad"]), node("good"), node("end", ["good"])]);
    run.claim("bad", "good").fail("bad");
    expect(run.facts.state).toBe("RUNNING");
    run.succeed("good").claim("end").succeed("end");
    expect(run.states()).toEqual({ bad: "FAILED", after: "PENDING", good: "SUCCESS", end: "SUCCESS" });
    expect(run.facts.state).toBe("PAUSED");
  });

  it("with `continue` skips what cannot run any more, lets an all_done node clean up, and ends FAILED (RUN-2)", () => {
    const run = activeRun([node("bad"), node("after", ["bad"]), node("cleanup", ["after"], { join: "all_done" })], {
      onFailure: "continue",
    });
    run.claim("bad").fail("bad");
    expect(run.states()).toEqual({ bad: "FAILED", after: "SKIPPED", cleanup: "QUEUED" });
    run.claim("cleanup").succeed("cleanup");
    expect(run.facts.state).toBe("FAILED");
  });

  it("with `fail` cancels the siblings, running ones too, and ends FAILED (B64)", () => {
    const run = activeRun([node("one"), node("two"), node("three", ["two"])], { onFailure: "fail" });
    run.claim("one", "two");
    const held = run.node("two").token;
    run.fail("one");
    expect(run.states()).toEqual({ one: "FAILED", two: "CANCELED", three: "CANCELED" });
    expect(run.facts.state).toBe("FAILED");
    expect(run.tell({ kind: "succeeded", key: "two", token: held }).kind).toBe("superseded");
  });

  it("cancels only once, by the failure itself: a sibling that a person retries afterwards runs (B64)", () => {
    const run = activeRun([node("one"), node("two")], { onFailure: "fail" });
    run.claim("one", "two").fail("one");
    run.tell({ kind: "retryNode", key: "two" });
    expect(run.states()).toEqual({ one: "FAILED", two: "QUEUED" });
    expect(run.facts.state).toBe("RUNNING");
  });

  it("does not fail while a person is still asked: a node in review keeps the run PAUSED whatever the policy (RUN-2)", () => {
    for (const onFailure of ["pause", "fail", "continue"] as const) {
      const run = activeRun([node("a", [], { retry: { policy: "none" } }), node("b", ["a"])], { onFailure });
      run.claim("a").lose("a");
      expect(run.states()).toEqual({ a: "MANUAL_REVIEW", b: "PENDING" });
      expect(run.facts.state).toBe("PAUSED");
    }
  });
});

describe("events that come late, twice or out of order", () => {
  it("counts a lost attempt once, though it is reported twice and the next attempt already runs (B44)", () => {
    const run = activeRun([node("a", [], { retry: { retries: 1, delays: ["1s"] } })]);
    run.claim("a");
    const lost = { kind: "workerLost", key: "a", token: run.node("a").token, failure: failureOf("APOLLO_WORKER_LOST_503") } as const;
    run.tell(lost);
    expect(run.tell(lost).kind).toBe("superseded");
    run.wait(30 * SECOND).claim("a");
    expect(run.tell(lost).kind).toBe("superseded");
    expect(run.node("a")).toMatchObject({ state: "RUNNING", attempts: 2, attemptNo: 2, maybeRepeated: true });
    run.succeed("a");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("ignores a start and a success of an attempt that has failed already (B53)", () => {
    const run = activeRun([node("a")]);
    run.claim("a");
    const { token } = run.node("a");
    run.fail("a");
    expect(run.tell({ kind: "claimed", key: "a", token }).kind).toBe("superseded");
    expect(run.tell({ kind: "succeeded", key: "a", token }).kind).toBe("superseded");
    expect(run.node("a").state).toBe("FAILED");
  });

  it("never applies the late result of an attempt that was taken over (IDM-2, B51)", () => {
    const run = activeRun([node("a"), node("b", ["a"])]);
    run.claim("a");
    const { token } = run.node("a");
    run.lose("a");
    run.claim("a");
    expect(run.tell({ kind: "succeeded", key: "a", token }).kind).toBe("superseded");
    expect(run.node("a").state).toBe("RUNNING");
    run.succeed("a");
    expect(run.tell({ kind: "attemptFailed", key: "a", token, failure: failureOf(), jitter: 0 })).toMatchObject({
      kind: "superseded",
      reason: expect.stringContaining("SUCCESS"),
    });
    expect(run.states()).toEqual({ a: "SUCCESS", b: "QUEUED" });
  });

  it("does not let the late failure of a lost attempt end its node at the total deadline (IDM-2, B73)", () => {
    const run = activeRun([node("a", [], { deadline: "1m" })]);
    run.claim("a");
    const { token } = run.node("a");
    run.lose("a");
    run.wait(58 * SECOND);
    expect(run.tell({ kind: "attemptFailed", key: "a", token, failure: failureOf(), jitter: 0 }).kind).toBe("superseded");
    expect(run.node("a").state).toBe("QUEUED");
  });

  it("gives a node to one of two claims (IDM-2)", () => {
    const run = activeRun([node("a")]);
    expect(run.tell({ kind: "claimed", key: "a", token: 1 }).kind).toBe("applied");
    expect(run.tell({ kind: "claimed", key: "a", token: 1 }).kind).toBe("superseded");
  });
});

describe("retries", () => {
  it("go fast once, then at two and four minutes, then to a person (RTY-1)", () => {
    const run = activeRun([node("a")]);
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      run.claim("a").fail("a", failureOf());
      delays.push((run.node("a").dueAt?.getTime() ?? 0) - run.now.getTime());
      run.wait(delays.at(-1) ?? 0).tell({ kind: "retryDue", key: "a" });
    }
    expect(delays).toEqual([2_500 * 1.3, 120_000 * 1.3, 240_000 * 1.3]);
    run.claim("a").fail("a", failureOf());
    expect(run.node("a")).toMatchObject({ state: "FAILED", attempts: 4 });
    expect(run.facts.state).toBe("PAUSED");
  });

  it("are not spent on what is not retryable (RTY-1)", () => {
    const run = activeRun([node("a")]);
    run.claim("a").fail("a", failureOf("TEST_INPUT_INVALID_422", false));
    expect(run.node("a").state).toBe("FAILED");
  });

  it("wait for as long as the service said (RTY-2)", () => {
    const run = activeRun([node("a")]);
    run.claim("a").fail("a", { ...failureOf("TEST_API_RATE_LIMIT_429"), retryAfterMs: 90 * SECOND });
    expect(run.node("a").dueAt).toEqual(new Date(run.now.getTime() + 90 * SECOND));
  });

  it("share one budget with lost workers and time-outs; used up by a loss it ends in review (RUN-2, RTY-3)", () => {
    const run = activeRun([node("a", [], { retry: { retries: 2, delays: ["1s"] } })]);
    run.claim("a").fail("a", failureOf());
    run.wait(2 * SECOND).tell({ kind: "retryDue", key: "a" });
    run.claim("a");
    run.tell({ kind: "attemptTimedOut", key: "a", token: run.node("a").token, failure: failureOf("TEST_A_TIMEOUT_504"), jitter: 0 });
    run.wait(2 * SECOND).tell({ kind: "retryDue", key: "a" });
    run.claim("a").lose("a");
    expect(run.node("a")).toMatchObject({ state: "MANUAL_REVIEW", attempts: 3, maybeRepeated: true });
  });

  it("are told as maybe repeated where a request went out and its answer was lost, and not where it was refused (IDM-3)", () => {
    const run = activeRun([node("a", [], { retry: { retries: 2, delays: ["1s"] } })]);
    run.claim("a").fail("a", failureOf());
    expect(run.node("a")).toMatchObject({ state: "RETRYING", maybeRepeated: false });
    run.wait(2 * SECOND).tell({ kind: "retryDue", key: "a" });
    run.claim("a").fail("a", { ...failureOf("TEST_API_NETWORK_502"), fateUnknown: true });
    expect(run.node("a")).toMatchObject({ state: "RETRYING", attempts: 2, maybeRepeated: true });
  });

  it("end in review where what runs the node dies under it, since nobody knows how far it came (RUN-2, F18)", () => {
    const run = activeRun([node("a", [], { retry: { retries: 1, delays: ["1s"] } })]);
    run.claim("a").fail("a", { ...failureOf("TEST_TASK_CRASH_500"), deaths: 1 });
    expect(run.node("a")).toMatchObject({ state: "RETRYING", maybeRepeated: true });
    run.wait(2 * SECOND).tell({ kind: "retryDue", key: "a" });
    run.claim("a").fail("a", { ...failureOf("TEST_TASK_CRASH_500"), deaths: 2 });
    expect(run.node("a")).toMatchObject({ state: "MANUAL_REVIEW", attempts: 2 });
    expect(run.last).toMatchObject({ changes: [{ event: "attemptDied", outcome: "failed", cause: "its retries are used up" }] });
  });

  it("are cut short where attempts die or are lost three times, however many are left: it may be what kills them (P19, F19)", () => {
    const many = { retry: { retries: 20, delays: ["1s"] } };
    const dying = activeRun([node("a", [], many)]);
    dying.claim("a").fail("a", { ...failureOf("TEST_TASK_CRASH_500"), deaths: 3 });
    expect(dying.node("a")).toMatchObject({ state: "MANUAL_REVIEW", dueAt: null });
    const lost = activeRun([node("a", [], many)]);
    for (const deaths of [1, 2]) {
      lost.claim("a").lose("a", deaths);
      expect(lost.node("a").state).toBe("QUEUED");
    }
    lost.claim("a").lose("a", 3);
    expect(lost.node("a").state).toBe("MANUAL_REVIEW");
    expect(lost.last).toMatchObject({ changes: [{ event: "workerLost", cause: expect.stringContaining("what kills them") }] });
    lost.tell({ kind: "retryNode", key: "a" });
    expect(lost.node("a")).toMatchObject({ state: "QUEUED", generation: 2, attempts: 0 });
  });

  it("do not go on after a death beyond the total deadline, and do not call it a time-out (RUN-2, B73)", () => {
    const run = activeRun([node("a", [], { deadline: "1m" })]);
    run.claim("a").wait(59 * SECOND);
    run.fail("a", { ...failureOf("TEST_TASK_CRASH_500"), deaths: 1 });
    expect(run.node("a")).toMatchObject({ state: "MANUAL_REVIEW" });
    expect(run.last).toMatchObject({ changes: [{ cause: "total deadline" }] });
  });

  it("count what an attempt retried inside, so that nothing multiplies them (RTY-3, EXC-3)", () => {
    const run = activeRun([node("a", [], { retry: { retries: 3, delays: ["1s"] } })]);
    run.claim("a").fail("a", { ...failureOf(), innerRetries: 2 });
    expect(run.node("a")).toMatchObject({ state: "RETRYING", attempts: 3, attemptNo: 1 });
    run.wait(2 * SECOND).tell({ kind: "retryDue", key: "a" });
    run.claim("a").fail("a", failureOf());
    expect(run.node("a")).toMatchObject({ state: "FAILED", attempts: 4, attemptNo: 2 });
  });

  it("do not count what a draining worker gives back (WRK-4)", () => {
    const run = activeRun([node("a", [], { retry: { policy: "none" } })]);
    for (let time = 1; time <= 3; time++) {
      run.claim("a").tell({ kind: "handedBack", key: "a", token: run.node("a").token, begun: false });
      expect(run.node("a")).toMatchObject({ state: "QUEUED", attempts: 0, attemptNo: time, maybeRepeated: false });
    }
    run.claim("a").succeed("a");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("do not begin before they are due (RTY-1)", () => {
    const run = activeRun([node("a")]);
    run.claim("a").fail("a", failureOf());
    expect(run.wait(SECOND).tell({ kind: "retryDue", key: "a" }).kind).toBe("superseded");
    expect(run.node("a").state).toBe("RETRYING");
  });

  it("end with TIMEOUT and the reason `total deadline` when none can begin before it (B73)", () => {
    const run = activeRun([node("a", [], { timeout: "10s", deadline: "30s", retry: { retries: 5, delays: ["10s"], jitter: [0, 0] } })]);
    const begun = run.now.getTime();
    for (;;) {
      run.claim("a").wait(10 * SECOND);
      const { token } = run.node("a");
      const decision = run.tell({ kind: "attemptTimedOut", key: "a", token, failure: failureOf("TEST_A_TIMEOUT_504"), jitter: 0 });
      if (run.node("a").state !== "RETRYING") {
        expect(decision).toMatchObject({
          kind: "applied",
          changes: [{ event: "deadlinePassed", outcome: "timed_out", cause: "total deadline" }],
        });
        break;
      }
      run.wait(10 * SECOND).tell({ kind: "retryDue", key: "a" });
    }
    expect(run.node("a")).toMatchObject({ state: "TIMEOUT", attempts: 2 });
    expect(run.now.getTime() - begun).toBeLessThanOrEqual(30 * SECOND);
  });

  it("and the total deadline ends whatever the node is doing, counted from its first start (B73)", () => {
    const overdue = { kind: "deadlinePassed", key: "a", failure: failureOf("APOLLO_NODE_DEADLINE_504") } as const;
    const run = activeRun([node("a", [], { deadline: "1h" })]);
    run.wait(5 * HOUR);
    expect(run.tell(overdue).kind).toBe("superseded");
    run.claim("a").wait(HOUR - 1);
    expect(run.tell(overdue).kind).toBe("superseded");
    const { token } = run.node("a");
    run.wait(1).tell(overdue);
    expect(run.node("a").state).toBe("TIMEOUT");
    expect(run.tell({ kind: "succeeded", key: "a", token }).kind).toBe("superseded");
  });
});

describe("waits", () => {
  it("hold no worker, end by their time alone and have an attempt to show (RUN-1)", () => {
    const run = activeRun([waitNode("pause", [], { for: "10m" }), node("b", ["pause"])]);
    expect(run.node("pause")).toMatchObject({ state: "RUNNING", attemptNo: 1, attempts: 0, deadlineAt: null });
    expect(run.tell({ kind: "waitElapsed", key: "pause" }).kind).toBe("superseded");
    run.wait(600 * SECOND).tell({ kind: "waitElapsed", key: "pause" });
    expect(run.states()).toEqual({ pause: "SUCCESS", b: "QUEUED" });
  });

  it("do not begin while a person pauses the run, and begin with its resume (RUN-3)", () => {
    const run = activeRun([node("a"), waitNode("pause", ["a"], { for: "1s" })]);
    run.claim("a").tell({ kind: "pauseRun" });
    run.succeed("a");
    expect(run.states()).toEqual({ a: "SUCCESS", pause: "PENDING" });
    expect(run.facts.state).toBe("PAUSED");
    run.tell({ kind: "resumeRun" });
    expect(run.states()).toEqual({ a: "SUCCESS", pause: "RUNNING" });
    expect(run.facts.state).toBe("RUNNING");
  });

  it("begin again when they are retried, without ever being queued (RUN-3)", () => {
    const run = activeRun([waitNode("pause", [], { for: "1s" })]);
    run.tell({ kind: "cancelNode", key: "pause" });
    const decision = run.tell({ kind: "retryNode", key: "pause" });
    expect(decision).toMatchObject({ kind: "applied", changes: [{ to: "PENDING" }, { to: "RUNNING" }] });
    expect(run.node("pause")).toMatchObject({ generation: 2, attemptNo: 1 });
  });
});
