import { describe, expect, it } from "vitest";
import { tableMove } from "./table-keys";

describe("keys in a table", () => {
  it.each([
    ["j", -1, { kind: "to", row: 0 }],
    ["k", -1, { kind: "to", row: 0 }],
    ["j", 4, { kind: "to", row: 4 }],
    ["ArrowUp", 0, { kind: "to", row: 0 }],
    ["ArrowDown", 1, { kind: "to", row: 2 }],
    ["PageDown", 0, { kind: "to", row: 4 }],
    ["End", -1, { kind: "to", row: 4 }],
    ["Home", 3, { kind: "to", row: 0 }],
    ["Enter", 2, { kind: "open" }],
    ["Enter", -1, null],
    ["x", 2, { kind: "toggle" }],
    ["q", 2, null],
  ] as const)("%s on row %i of five", (key, at, move) => {
    expect(tableMove(key, at, 5)).toEqual(move);
  });

  it("an empty table takes no key", () => {
    expect(tableMove("j", -1, 0)).toBeNull();
  });
});
