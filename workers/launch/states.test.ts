import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NODE_STATES, RUN_STATES } from "../../server/domain/run/states";
import { allowedNodePairs, allowedRunPairs } from "../../server/domain/run/transitions";
import { STATES_FILE, statesDocument } from "./states";

describe("docs/states.md", () => {
  it("is what the transition tables say; `npm run states` writes it anew (RUN-1)", () => {
    expect(readFileSync(STATES_FILE, "utf8")).toBe(statesDocument());
  });

  it("draws every step that the tables allow, and no other (RUN-1)", () => {
    const drawn = [...statesDocument().matchAll(/^ {2}([A-Z_]+) --> ([A-Z_]+)/gm)].map(([, from, to]) => `${from}>${to}`);
    expect([...new Set(drawn)].sort()).toEqual([...new Set([...allowedNodePairs(), ...allowedRunPairs()])].sort());
    for (const state of [...NODE_STATES, ...RUN_STATES]) expect(statesDocument()).toContain(state);
  });
});
