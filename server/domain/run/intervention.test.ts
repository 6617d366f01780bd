import { describe, expect, it } from "vitest";
import { activeRun, failureOf, node, planFor, ToldRun } from "@/db/testing/plans";
import { possibleNodeActions, possibleRunActions } from "./possible";
import { previewOf } from "./preview";
import { NODE_STATES } from "./states";

const chain = [node("a"), node("b", ["a"]), node("c", ["b"])];

/** a and b have succeeded, c has failed for good. */
function failedAtC() {
  const run = activeRun(chain);
  run.claim("a").succeed("a").claim("b").succeed("b").claim("c").fail("c");
  return run;
}

describe("cancel", () => {
  it("ends every node that has not ended, a running one too, whose late result is superseded (B67, RUN-3)", () => {
    const run = activeRun([node("a"), node("b", ["a"]), node("x")]);
    run.claim("a", "x").succeed("x");
    const { token } = run.node("a");
    run.tell({ kind: "cancelRun" });
    expect(run.states()).toEqual({ a: "CANCELED", b: "CANCELED", x: "SUCCESS" });
    expect(run.facts.state).toBe("CANCELED");
    expect(run.tell({ kind: "succeeded", key: "a", token }).kind).toBe("superseded");
    expect(run.node("a").token).toBeGreaterThan(token);
  });

  it("is final: neither a lost worker nor a due retry brings a cancelled run back (B67)", () => {
    const run = activeRun([node("a"), node("r")]);
    run.claim("a", "r").fail("r", failureOf());
    const { token } = run.node("a");
    run.tell({ kind: "cancelRun" });
    run.wait(3_600_000);
    expect(run.tell({ kind: "workerLost", key: "a", token, failure: failureOf() }).kind).toBe("superseded");
    expect(run.tell({ kind: "retryDue", key: "r" }).kind).toBe("superseded");
    expect(run.tell({ kind: "claimed", key: "a", token: token + 1 }).kind).toBe("superseded");
    expect(run.tell({ kind: "cancelRun" })).toMatchObject({ kind: "refused", state: "CANCELED" });
    expect(run.facts.state).toBe("CANCELED");
  });

  it("of one run of a plan leaves the others as they are (B66)", () => {
    const plan = planFor(chain);
    const runs = [1, 2, 3].map(() => new ToldRun(plan));
    for (const run of runs) run.tell({ kind: "activated" });
    runs[1]?.tell({ kind: "cancelRun" });
    expect(runs.map((run) => run.facts.state)).toEqual(["RUNNING", "CANCELED", "RUNNING"]);
  });

  it("of a run that still waits for its turn starts nothing (RUN-3)", () => {
    const run = new ToldRun(planFor(chain));
    run.tell({ kind: "cancelRun" });
    expect(run.facts.state).toBe("CANCELED");
    expect(run.tell({ kind: "activated" }).kind).toBe("refused");
  });

  it("of one node keeps what needs it waiting for a person, and the run PAUSED (RUN-3)", () => {
    const run = activeRun(chain);
    run.tell({ kind: "cancelNode", key: "a" });
    expect(run.states()).toEqual({ a: "CANCELED", b: "PENDING", c: "PENDING" });
    expect(run.facts.state).toBe("PAUSED");
    expect(run.tell({ kind: "cancelNode", key: "a" })).toMatchObject({ kind: "refused", state: "CANCELED" });
  });
});

describe("retry", () => {
  it("runs the node under the same execution and a new generation, and nothing that has succeeded (B69, IDM-1)", () => {
    const run = failedAtC();
    expect(run.facts.state).toBe("PAUSED");
    run.tell({ kind: "retryNode", key: "c" });
    expect(run.node("c")).toMatchObject({ state: "QUEUED", generation: 2, executionId: "x-c", attempts: 0, attemptNo: 0 });
    expect([run.node("a").generation, run.node("b").generation]).toEqual([1, 1]);
    run.claim("c").succeed("c");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("reopens what was skipped or cancelled because of the node, and runs each once (B69)", () => {
    const run = activeRun([...chain, node("d", ["c"], { join: "all_done" })], { onFailure: "continue" });
    run.claim("a").fail("a");
    run.claim("d").succeed("d");
    expect(run.states()).toEqual({ a: "FAILED", b: "SKIPPED", c: "SKIPPED", d: "SUCCESS" });
    expect(run.facts.state).toBe("FAILED");
    run.tell({ kind: "retryNode", key: "a" });
    expect(run.states()).toEqual({ a: "QUEUED", b: "PENDING", c: "PENDING", d: "SUCCESS" });
    for (const key of ["a", "b", "c"]) run.claim(key).succeed(key);
    expect(run.states()).toEqual({ a: "SUCCESS", b: "SUCCESS", c: "SUCCESS", d: "SUCCESS" });
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("of a cancelled node whose parents have not ended waits for them (RUN-3)", () => {
    const run = activeRun(chain);
    run.tell({ kind: "cancelRun" });
    run.tell({ kind: "retryNode", key: "b" });
    expect(run.states()).toEqual({ a: "CANCELED", b: "PENDING", c: "PENDING" });
    expect(run.facts.state).toBe("PAUSED");
    run.tell({ kind: "retryNode", key: "a" });
    for (const key of ["a", "b", "c"]) run.claim(key).succeed(key);
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("of a cancelled run that never had its turn waits for it again (RUN-3)", () => {
    const run = new ToldRun(planFor(chain));
    run.tell({ kind: "cancelRun" });
    run.tell({ kind: "retryNode", key: "a" });
    expect(run.facts.state).toBe("PENDING");
    run.tell({ kind: "activated" });
    expect(run.states()).toEqual({ a: "QUEUED", b: "PENDING", c: "PENDING" });
  });

  it("of a node that waits for its retry starts it now, within the same budget (RUN-3)", () => {
    const run = activeRun([node("a")]);
    run.claim("a").fail("a", failureOf());
    run.tell({ kind: "retryNode", key: "a" });
    expect(run.node("a")).toMatchObject({ state: "QUEUED", generation: 1, attempts: 1, dueAt: null });
  });

  it("is refused by name where there is nothing to retry (RUN-3)", () => {
    const run = failedAtC();
    expect(run.tell({ kind: "retryNode", key: "a" })).toMatchObject({ kind: "refused", state: "SUCCESS" });
    expect(run.tell({ kind: "retryNode", key: "nowhere" })).toMatchObject({ kind: "refused", key: "nowhere" });
  });
});

describe("skip and mark success", () => {
  it("let what follows go on (RUN-3)", () => {
    for (const kind of ["skipNode", "markSuccess"] as const) {
      const run = activeRun(chain);
      run.claim("a").fail("a");
      run.tell({ kind, key: "a" });
      expect(run.states()).toEqual({ a: kind === "skipNode" ? "SKIPPED" : "SUCCESS", b: "QUEUED", c: "PENDING" });
    }
  });

  it("of the last failed node end a run that had failed (RUN-3)", () => {
    const run = failedAtC();
    run.tell({ kind: "skipNode", key: "c" });
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("are refused while a worker has the node (RUN-3)", () => {
    const run = activeRun(chain);
    run.claim("a");
    expect(run.tell({ kind: "skipNode", key: "a" })).toMatchObject({ kind: "refused", state: "RUNNING" });
    expect(run.tell({ kind: "markSuccess", key: "a" })).toMatchObject({ kind: "refused", state: "RUNNING" });
  });
});

describe("rerun from a node", () => {
  it("runs it and all after it as new executions, and keeps what is before (IDM-1, RUN-3)", () => {
    const run = activeRun(chain);
    for (const key of ["a", "b", "c"]) run.claim(key).succeed(key);
    run.tell({
      kind: "rerunFrom",
      key: "b",
      executionIds: new Map([
        ["b", "x-b2"],
        ["c", "x-c2"],
      ]),
    });
    expect(run.states()).toEqual({ a: "SUCCESS", b: "QUEUED", c: "PENDING" });
    expect([run.node("a"), run.node("b"), run.node("c")].map(({ executionId, generation }) => [executionId, generation])).toEqual([
      ["x-a", 1],
      ["x-b2", 2],
      ["x-c2", 2],
    ]);
    expect(run.facts.state).toBe("RUNNING");
  });

  it("keeps the execution of what had not succeeded (IDM-1)", () => {
    const run = failedAtC();
    run.tell({ kind: "rerunFrom", key: "b", executionIds: new Map([["b", "x-b2"]]) });
    expect([run.node("b").executionId, run.node("c").executionId]).toEqual(["x-b2", "x-c"]);
    expect(run.states()).toEqual({ a: "SUCCESS", b: "QUEUED", c: "PENDING" });
  });

  it("leaves what a person has skipped as it is (RUN-3)", () => {
    const run = failedAtC();
    run.tell({ kind: "skipNode", key: "c" });
    run.tell({ kind: "rerunFrom", key: "b", executionIds: new Map([["b", "x-b2"]]) });
    expect(run.states()).toEqual({ a: "SUCCESS", b: "QUEUED", c: "SKIPPED" });
  });

  it("is refused while something after it runs, and when a success came since it was planned (RUN-3)", () => {
    const run = activeRun(chain);
    run.claim("a").succeed("a").claim("b");
    expect(run.tell({ kind: "rerunFrom", key: "a", executionIds: new Map([["a", "x-a2"]]) })).toMatchObject({ kind: "refused", key: "b" });
    run.succeed("b").claim("c").succeed("c");
    expect(run.tell({ kind: "rerunFrom", key: "b", executionIds: new Map([["b", "x-b2"]]) })).toMatchObject({ kind: "refused", key: "c" });
  });
});

describe("pause and resume", () => {
  it("hold what is queued, let what runs end, and go on from there (RUN-3)", () => {
    const run = activeRun([node("a"), node("b", ["a"]), node("x")]);
    run.claim("a").tell({ kind: "pauseRun" });
    expect(run.facts.state).toBe("PAUSED");
    expect(run.tell({ kind: "claimed", key: "x", token: 1 }).kind).toBe("superseded");
    run.succeed("a");
    expect(run.states()).toEqual({ a: "SUCCESS", b: "QUEUED", x: "QUEUED" });
    expect(run.facts.state).toBe("PAUSED");
    expect(run.tell({ kind: "pauseRun" }).kind).toBe("refused");
    run.tell({ kind: "resumeRun" });
    run.claim("b", "x").succeed("b", "x");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("take no deadline from what they held (RUN-3)", () => {
    const run = activeRun([node("a", [], { deadline: "1h" })]);
    run.claim("a").fail("a", failureOf());
    run.tell({ kind: "pauseRun" });
    run.wait(10 * 3_600_000);
    expect(run.tell({ kind: "deadlinePassed", key: "a", failure: failureOf() }).kind).toBe("superseded");
    run.tell({ kind: "resumeRun" });
    run.tell({ kind: "retryDue", key: "a" });
    run.claim("a").succeed("a");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("of a run that waits for its turn give it back to the line (RUN-3)", () => {
    const run = new ToldRun(planFor(chain));
    run.tell({ kind: "pauseRun" });
    expect(run.tell({ kind: "activated" }).kind).toBe("refused");
    run.tell({ kind: "resumeRun" });
    expect(run.facts.state).toBe("PENDING");
  });
});

describe("what is possible", () => {
  it("is told from the transition table for every state (RUN-3)", () => {
    expect(Object.fromEntries(NODE_STATES.map((state) => [state, possibleNodeActions(state)]))).toEqual({
      PENDING: ["skip", "cancel"],
      QUEUED: ["skip", "cancel"],
      RUNNING: ["cancel"],
      RETRYING: ["retry", "skip", "cancel"],
      AWAITING_APPROVAL: ["skip", "cancel"],
      MANUAL_REVIEW: ["retry", "rerun-from", "skip", "mark-success", "cancel"],
      SUCCESS: ["rerun-from"],
      FAILED: ["retry", "rerun-from", "skip", "mark-success"],
      TIMEOUT: ["retry", "rerun-from", "skip", "mark-success"],
      CANCELED: ["retry", "rerun-from", "skip", "mark-success"],
      SKIPPED: ["retry", "rerun-from"],
    });
    expect(possibleRunActions({ state: "RUNNING", pausedByPerson: false })).toEqual(["cancel", "pause"]);
    expect(possibleRunActions({ state: "PAUSED", pausedByPerson: true })).toEqual(["cancel", "resume"]);
    expect(possibleRunActions({ state: "CANCELED", pausedByPerson: false })).toEqual([]);
  });

  it("is previewed by the decision that would do it: what runs, what runs again, what is kept (RUN-3)", () => {
    const run = activeRun(chain);
    for (const key of ["a", "b", "c"]) run.claim(key).succeed(key);
    expect(previewOf(run.plan, run.facts, "b", "rerun-from", run.now)).toEqual({
      kind: "possible",
      runs: ["b", "c"],
      again: ["b", "c"],
      reused: ["a"],
      skipped: [],
      canceled: [],
      runState: "RUNNING",
    });
    expect(previewOf(run.plan, run.facts, "b", "retry", run.now)).toMatchObject({
      kind: "refused",
      state: "SUCCESS",
      possible: ["rerun-from"],
    });
  });
});
