import { describe, expect, it } from "vitest";
import { isTerminalNode, isTerminalRun, NODE_STATES, RUN_STATES } from "./states";
import {
  allowedNodePairs,
  decideTransition,
  type Facts,
  INITIAL_NODE_STATES,
  leavesForGood,
  NODE_EVENTS,
  NODE_TRANSITIONS,
  type NodeEvent,
  RUN_TRANSITIONS,
} from "./transitions";

const HOLDS: Facts = { freshToken: true, budgetLeft: true, deadlineAhead: true };
const BY_PEOPLE: readonly NodeEvent[] = [
  "retryRequested",
  "reopened",
  "rerunRequested",
  "skipRequested",
  "successMarked",
  "reviewRequested",
  "cancelRequested",
];

describe("the transition table", () => {
  it("answers every event in every state, whatever the facts (RUN-1)", () => {
    for (const state of NODE_STATES) {
      for (const event of NODE_EVENTS) {
        for (let bits = 0; bits < 8; bits++) {
          const facts = { freshToken: (bits & 1) > 0, budgetLeft: (bits & 2) > 0, deadlineAhead: (bits & 4) > 0 };
          const verdict = decideTransition(state, event, facts);
          const listed = NODE_TRANSITIONS[state][event] !== undefined;
          expect(verdict.kind === "refused", `${state} ${event} ${bits}`).toBe(!listed);
          if (verdict.kind === "moved") expect(allowedNodePairs()).toContain(`${state}>${verdict.to}`);
        }
      }
    }
  });

  it("lets nothing but a person bring back a node that has ended, and always as a new generation (RUN-1)", () => {
    for (const state of NODE_STATES.filter(isTerminalNode)) {
      for (const event of NODE_EVENTS) {
        const verdict = decideTransition(state, event, HOLDS);
        if (verdict.kind !== "moved") continue;
        expect(BY_PEOPLE).toContain(event);
        expect(verdict.raisesGeneration).toBe(true);
      }
    }
  });

  it("applies no report whose token is spent (IDM-2)", () => {
    const reports: readonly NodeEvent[] = ["succeeded", "attemptFailed", "attemptDied", "attemptTimedOut", "workerLost", "handedBack"];
    for (const event of reports) {
      expect(decideTransition("RUNNING", event, { ...HOLDS, freshToken: false })).toEqual({ kind: "superseded", from: "RUNNING" });
    }
  });

  it("reaches every state from a node's birth, and every state but none is a dead end for a person (RUN-1)", () => {
    const reached = new Set<string>(INITIAL_NODE_STATES);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const pair of allowedNodePairs()) {
        const [from = "", to = ""] = pair.split(">");
        if (reached.has(from)) reached.add(to);
      }
    }
    expect([...reached].sort()).toEqual([...NODE_STATES].sort());
    for (const state of NODE_STATES) expect(Object.keys(NODE_TRANSITIONS[state])).not.toEqual([]);
  });

  it("lets a run that has ended be reopened alone, never cancelled afterwards (RUN-1)", () => {
    for (const state of RUN_STATES.filter(isTerminalRun)) expect(RUN_TRANSITIONS[state].filter((to) => to === "CANCELED")).toEqual([]);
    expect(NODE_STATES.filter(leavesForGood)).toEqual(["MANUAL_REVIEW", "SUCCESS", "FAILED", "TIMEOUT", "CANCELED", "SKIPPED"]);
  });
});
