import { describe, expect, it } from "vitest";
import { decideAlerts } from "./decide";
import type { AlertMemory, Occurrence } from "./model";
import { SHIPPED_POLICY } from "./policy";
import { SAME_CODE_MS } from "./suppress";

const START = new Date("2026-11-30T03:00:00Z");
const later = (ms: number) => new Date(START.getTime() + ms);

const failure = (each: number, at: Date, code = "ORDER_STEP_BROKEN_500"): Occurrence => ({
  ...{ ref: `event-${each}`, at, code, codeGrade: null, message: "it broke", kind: "failure", taskClass: "basic", suspended: false },
  object: { task: `run-${each}/a`, runId: `run-${each}`, nodeKey: "a", pipelineId: "orders", label: "orders / a", owner: "team" },
  health: { runs: 0, unhealthy: 0, inARow: 0 },
});

let made = 0;
const memory = (more: Partial<AlertMemory>): AlertMemory => ({
  ...{ now: START, policy: SHIPPED_POLICY, silences: [], open: [], recent: new Map(), causes: [], tasks: new Map(), failed: [], nextNo: 1 },
  routes: [{ channelId: "ops", enabled: true, grade: "P4", pattern: "*" }],
  newId: () => `alert-${++made}`,
  ...more,
});

/** Two failures, which people are told of by their code, and what comes so much later. */
function inTwoLooks(then: readonly Occurrence[], afterMs: number) {
  const first = decideAlerts([failure(1, START), failure(2, START)], memory({}));
  const failed = [1, 2].map((each) => ({ task: `run-${each}/a`, runId: `run-${each}` }));
  return { first, second: decideAlerts(then, memory({ now: later(afterMs), open: first.alerts, failed, nextNo: 2 })) };
}

describe("a batch after the page of its code", () => {
  it("few failures and then many of the same code are one page, and each has its receipt (ALT-2, ALT-4)", () => {
    const { first, second } = inTwoLooks(
      [3, 4, 5, 6].map((each) => failure(each, later(5_000))),
      5_000,
    );
    expect(first.notices).toHaveLength(1);
    expect(second.notices).toEqual([]);
    expect(second.alerts).toMatchObject([{ kind: "code", count: 6 }]);
    expect(second.receipts.map(({ heldBy }) => heldBy[0]?.kind)).toEqual(Array(4).fill("code"));
  });

  it("other codes beside it are told as a batch (ALT-2)", () => {
    const { second } = inTwoLooks(
      [3, 4, 5, 6].map((each) => failure(each, later(5_000), `ORDER_STEP${each}_BROKEN_500`)),
      5_000,
    );
    expect(second.alerts).toMatchObject([{ key: "batch:runs", count: 4 }]);
    expect(second.notices).toHaveLength(1);
  });

  it("the same code in numbers after its merging time is a batch again (ALT-2, ALT-4)", () => {
    const { second } = inTwoLooks(
      [3, 4, 5, 6].map((each) => failure(each, later(SAME_CODE_MS + 1))),
      SAME_CODE_MS + 1,
    );
    expect(second.alerts).toMatchObject([{ key: "batch:runs", count: 4 }]);
  });
});
