import { describe, expect, it } from "vitest";
import { activeRun, failureOf, node, type ToldRun } from "@/db/testing/plans";
import type { Route, RouteAction } from "../routing/route";
import { changeData } from "./fold";

const RETRY = { retries: 3, delays: ["1m"], jitter: [0, 0] as [number, number] };
const routeTo = (action: RouteAction, more: Partial<Route> = {}): Route => ({
  rule: "the rule",
  version: 7,
  action,
  delays: null,
  ...more,
});

/** The step of node `a` itself. */
function stepOf(run: ToldRun) {
  const decision = run.last;
  if (decision?.kind !== "applied") throw new Error(`nothing was decided: ${JSON.stringify(decision)}`);
  const change = decision.changes.find(({ key }) => key === "a");
  if (!change) throw new Error("a did not move");
  return change;
}

function failedBy(action: RouteAction | null, more: { failure?: ReturnType<typeof failureOf>; route?: Partial<Route> } = {}): ToldRun {
  const run = activeRun([node("a", [], { retry: RETRY, fallback: "z" }), node("b", ["a"]), node("z")]);
  run.claim("a");
  const { failure = failureOf() } = more;
  const route = action && routeTo(action, more.route);
  run.tell({ kind: "attemptFailed", key: "a", token: run.node("a").token, failure, jitter: 0, route });
  return run;
}

describe("where a route sends a failure (EXC-5)", () => {
  it.each([
    [null, "RETRYING", "RUNNING"],
    ["retry", "RETRYING", "RUNNING"],
    ["review", "MANUAL_REVIEW", "PAUSED"],
    ["fail", "FAILED", "PAUSED"],
    ["pause", "RETRYING", "PAUSED"],
    ["degrade", "SKIPPED", "RUNNING"],
    ["breaker", "RETRYING", "RUNNING"],
  ] as const)("%s leaves the node %s and the run %s, though its policy has retries left (EXC-5, RUN-2)", (action, state, runState) => {
    const run = failedBy(action);
    expect([run.node("a").state, run.facts.state]).toEqual([state, runState]);
  });

  it("is told by the step: which rule of which version decided, and nothing where none did (EXC-5)", () => {
    for (const action of ["retry", "review", "fail", "pause", "degrade", "breaker"] as const) {
      const step = stepOf(failedBy(action));
      expect(changeData(step)).toMatchObject({
        route: { rule: "the rule", version: 7, action },
        outcome: "failed",
        code: "TEST_STEP_BROKEN_500",
      });
      expect(step.cause).toContain('rule "the rule" of version 7');
    }
    expect(changeData(stepOf(failedBy(null)))).not.toHaveProperty("route");
  });

  it("retry takes the rule's delays and keeps the node's count (RTY-2)", () => {
    const delays = { kind: "exponential", baseMs: 900, jitterMs: 0 } as const;
    const run = failedBy("retry", { route: { delays } });
    expect((run.node("a").dueAt?.getTime() ?? 0) - run.now.getTime()).toBe(900);
    for (let retry = 1; retry <= 3; retry++) {
      run.wait(60_000).tell({ kind: "retryDue", key: "a" });
      run.claim("a");
      run.tell({
        kind: "attemptFailed",
        key: "a",
        token: run.node("a").token,
        failure: failureOf(),
        jitter: 0,
        route: routeTo("retry", { delays }),
      });
    }
    expect([run.node("a").state, run.node("a").attempts]).toEqual(["FAILED", 4]);
  });

  it("retry knows better than the words of a code, and never better than the attempt that called itself final (RTY-2)", () => {
    const invalid = failureOf("TEST_FORM_VALIDATION_400");
    expect(failedBy(null, { failure: invalid }).node("a").state).toBe("FAILED");
    expect(failedBy("retry", { failure: invalid }).node("a").state).toBe("RETRYING");
    expect(failedBy("retry", { failure: { ...invalid, retryable: false } }).node("a").state).toBe("FAILED");
  });

  it.each(["TEST_API_VALIDATION_400", "TEST_API_HTTP_404", "TEST_API_HTTP_501", "TEST_COMMAND_EXIT_126", "TEST_COMMAND_NOT_FOUND_127"])(
    "retry brings back %s, which only its number calls final; without a rule it stays final (RTY-2)",
    (code) => {
      const failure = { ...failureOf(code), retryable: false, finalBy: "number" } as const;
      expect(failedBy(null, { failure }).node("a").state).toBe("FAILED");
      expect(failedBy("retry", { failure }).node("a").state).toBe("RETRYING");
    },
  );

  it("pause holds the run until a person resumes it; what was due waits, and goes on then (EXC-5)", () => {
    const run = failedBy("pause");
    expect(run.facts.pausedByPerson).toBe(true);
    run.wait(60_000).tell({ kind: "retryDue", key: "a" });
    run.claim("a");
    expect([run.node("a").state, run.facts.state]).toEqual(["QUEUED", "PAUSED"]);
    run.tell({ kind: "resumeRun" });
    run.claim("a").succeed("a").claim("b").succeed("b");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("whatever the route, a spent token changes nothing: no review, no pause, no fallback (IDM-2)", () => {
    for (const action of ["review", "pause", "degrade", "fail"] as const) {
      const run = failedBy(null);
      const before = run.facts;
      for (const kind of ["attemptFailed", "attemptTimedOut", "workerLost"] as const) {
        run.tell({ kind, key: "a", token: 1, failure: failureOf(), jitter: 0, route: routeTo(action) });
        expect(run.last?.kind).toBe("superseded");
      }
      expect(run.facts).toBe(before);
    }
  });

  it.each([
    ["retry", "QUEUED"],
    ["review", "MANUAL_REVIEW"],
    ["fail", "MANUAL_REVIEW"],
    ["pause", "QUEUED"],
    ["degrade", "SKIPPED"],
  ] as const)("of a lost worker, %s leaves the node %s: a fate that nobody knows is never just a failure (RUN-2)", (action, state) => {
    const run = activeRun([node("a", [], { retry: RETRY, fallback: "z" }), node("z")]);
    run.claim("a");
    const { token } = run.node("a");
    run.tell({ kind: "workerLost", key: "a", token, failure: failureOf("APOLLO_WORKER_LOST_503"), route: routeTo(action) });
    expect(run.node("a")).toMatchObject({ state, token: token + 1, maybeRepeated: true });
    expect(changeData(stepOf(run))).toMatchObject({ outcome: "lost", route: { action } });
  });
});

describe("a node that is degraded (EXC-5)", () => {
  const degraded = () => failedBy("degrade");

  it("is skipped, and its fallback starts in its place; what waits for it waits for the fallback (EXC-5)", () => {
    const run = degraded();
    expect(run.states()).toEqual({ a: "SKIPPED", b: "PENDING", z: "QUEUED" });
    expect(run.node("a").skipCause).toBe("degraded");
    run.claim("z").succeed("z");
    expect(run.states()).toEqual({ a: "SKIPPED", b: "QUEUED", z: "SUCCESS" });
    run.claim("b").succeed("b");
    expect(run.facts.state).toBe("SUCCESS");
  });

  it("whose fallback fails too has failed for all that waits for it; a retry of the fallback goes on (EXC-5, RUN-2)", () => {
    const run = degraded();
    run.claim("z").fail("z");
    expect([run.states(), run.facts.state]).toEqual([{ a: "SKIPPED", b: "PENDING", z: "FAILED" }, "PAUSED"]);
    run.tell({ kind: "retryNode", key: "z" });
    run.claim("z").succeed("z");
    expect(run.node("b").state).toBe("QUEUED");
  });

  it("that a person runs again takes its place back, and the fallback stands by as before (EXC-5, RUN-3)", () => {
    const run = degraded();
    run.claim("z").succeed("z").claim("b").succeed("b");
    run.tell({ kind: "rerunFrom", key: "a", executionIds: new Map([..."bz"].map((key) => [key, `new-${key}`])) });
    expect(run.states()).toEqual({ a: "QUEUED", b: "PENDING", z: "SKIPPED" });
    expect(run.node("z").skipCause).toBe("branch");
    run.claim("a").succeed("a").claim("b").succeed("b");
    expect(run.states()).toEqual({ a: "SUCCESS", b: "SUCCESS", z: "SKIPPED" });
  });

  it("shares its fallback with others: it runs once for all of them (EXC-5, IDM-2)", () => {
    const run = activeRun([node("a", [], { fallback: "z" }), node("c", [], { fallback: "z" }), node("z"), node("d", ["a", "c"])]);
    const degrade = (key: string) =>
      run.tell({ kind: "attemptFailed", key, token: run.node(key).token, failure: failureOf(), jitter: 0, route: routeTo("degrade") });
    run.claim("a", "c");
    degrade("a");
    run.claim("z").succeed("z");
    degrade("c");
    expect(run.states()).toEqual({ a: "SKIPPED", c: "SKIPPED", z: "SUCCESS", d: "QUEUED" });
    expect(run.node("z").attemptNo).toBe(1);
  });

  it("hands on along a chain of fallbacks; one that needs its principal finds the place free (EXC-5)", () => {
    const run = activeRun([node("a", [], { fallback: "y" }), node("y", ["a"], { fallback: "z" }), node("z"), node("b", ["a"])]);
    for (const key of ["a", "y"]) {
      run.claim(key);
      run.tell({ kind: "attemptTimedOut", key, token: run.node(key).token, failure: failureOf(), jitter: 0, route: routeTo("degrade") });
    }
    expect(run.states()).toEqual({ a: "SKIPPED", y: "SKIPPED", z: "QUEUED", b: "PENDING" });
    run.claim("z").succeed("z");
    expect(run.node("b").state).toBe("QUEUED");
  });

  it("without a fallback fails by its policy, and the step says which rule was asked (EXC-5)", () => {
    const run = activeRun([node("a", [], { retry: { policy: "none" } })]);
    run.claim("a");
    run.tell({ kind: "attemptFailed", key: "a", token: 1, failure: failureOf(), jitter: 0, route: routeTo("degrade") });
    expect(run.node("a").state).toBe("FAILED");
    expect(changeData(stepOf(run))).toMatchObject({ route: { action: "degrade" } });
  });

  it("gives its place to what its successors read, too: the fallback's output stands for its own (EXC-5)", () => {
    const reader = node("b", ["a"], { with: { task: "test.work", input: "{{ nodes.a.output.id }}" } });
    const { plan } = activeRun([node("a", [], { fallback: "z" }), node("z"), reader]);
    expect(plan.byKey.get("b")?.inputsFrom).toEqual(["a", "z"]);
    expect(plan.byKey.get("b")?.reads).toEqual(["a"]);
  });
});

describe("a retry that never comes (EXC-8)", () => {
  const retrying = (retries = 3) => {
    const run = activeRun([node("a", [], { retry: { ...RETRY, retries } })]);
    run.claim("a").fail("a", failureOf());
    return run;
  };
  const without = (run: ToldRun, more: object) => {
    run.facts = { ...run.facts, nodes: new Map([["a", { ...run.node("a"), ...more }]]) };
    return run;
  };

  it("sends the node to a person: it has used its retries up, or no time is set (EXC-8)", () => {
    for (const more of [{ attempts: 4, dueAt: new Date(0) }, { dueAt: null }]) {
      const run = without(retrying(), more);
      run.tell({ kind: "retryStuck", key: "a" });
      expect([run.node("a").state, run.facts.state]).toEqual(["MANUAL_REVIEW", "PAUSED"]);
    }
  });

  it("is not one that is only late: whoever was away for long goes on with it (EXC-8, RUN-7)", () => {
    const run = retrying().wait(3_600_000);
    run.tell({ kind: "retryStuck", key: "a" });
    expect(run.last?.kind).toBe("superseded");
    expect(run.node("a").state).toBe("RETRYING");
  });
});
