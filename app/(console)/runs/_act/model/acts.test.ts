import { describe, expect, it } from "vitest";
import { possibleNodeActions } from "@/server/domain/run/possible";
import { NODE_STATES } from "@/server/domain/run/states";
import { isDestructive, leadingAct, nodeActs, runActs, seqToExpect } from "./acts";

describe("what can be pressed (RUN-3, AUD-1)", () => {
  it("a viewer sees no button, whatever the state allows", () => {
    expect(nodeActs({ possible: ["retry", "skip"] }, "viewer")).toEqual([]);
    expect(runActs({ possible: ["cancel"] }, "viewer")).toEqual([]);
    expect(nodeActs({ possible: ["retry"] }, null)).toEqual([]);
  });

  it("an operator sees what the state allows, the mildest first", () => {
    expect(nodeActs({ possible: ["cancel", "skip", "retry"] }, "operator")).toEqual(["retry", "skip", "cancel"]);
    expect(runActs({ possible: ["cancel", "pause"] }, "operator")).toEqual(["pause", "cancel", "again"]);
  });

  it.each(NODE_STATES)("of a node that is %s the button beside it is one that the transition table allows (RUN-1)", (state) => {
    const acts = nodeActs({ possible: possibleNodeActions(state) }, "operator");
    const leading = leadingAct({ state }, acts);
    if (leading !== null) expect(acts).toContain(leading);
    expect(leading === null && acts.includes("retry")).toBe(false);
  });

  it("cancelling and skipping are drawn as grave", () => {
    expect(isDestructive({ on: "run", verb: "cancel" })).toBe(true);
    expect(isDestructive({ on: "node", verb: "skip", key: "a" })).toBe(true);
    expect(isDestructive({ on: "node", verb: "retry", key: "a" })).toBe(false);
  });

  it("two people at a run that stands still cannot both act on what they saw, and a live run is left to the table", () => {
    expect(seqToExpect({ state: "PAUSED", seq: 7 })).toBe(7);
    expect(seqToExpect({ state: "FAILED", seq: 7 })).toBe(7);
    expect(seqToExpect({ state: "RUNNING", seq: 7 })).toBeUndefined();
  });
});
