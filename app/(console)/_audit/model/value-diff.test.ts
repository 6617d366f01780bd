import { describe, expect, it } from "vitest";
import { valueChanges } from "./value-diff";

describe("before and after of an audit row (AUD-2)", () => {
  it("names each field by its path, and tells which stayed", () => {
    expect(valueChanges({ role: "viewer", name: "Ada" }, { role: "admin", name: "Ada" })).toEqual([
      { path: "role", before: "viewer", after: "admin", same: false },
      { path: "name", before: "Ada", after: "Ada", same: true },
    ]);
  });

  it("what was made has no before, what was removed no after, at any depth", () => {
    expect(valueChanges(null, { params: { day: "x" } })).toEqual([{ path: "params.day", before: undefined, after: "x", same: false }]);
    expect(valueChanges({ a: [1] }, null)).toEqual([{ path: "a", before: [1], after: undefined, same: false }]);
  });

  it("nothing on both sides is no change", () => {
    expect(valueChanges(null, null)).toEqual([]);
    expect(valueChanges({}, undefined)).toEqual([]);
  });
});
