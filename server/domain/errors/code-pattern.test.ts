import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesCode } from "./code-pattern";

const letters = fc.constantFrom("A", "B", "_", "1");
const text = (max: number) => fc.array(letters, { maxLength: max }).map((parts) => parts.join(""));

describe("a pattern over codes (EXC-5)", () => {
  it.each([
    ["*_TIMEOUT_*", "ORDER_PAY_TIMEOUT_504", true],
    ["*_TIMEOUT_*", "TIMEOUT_504", false],
    ["ORDER_*", "ORDER_PAY_TIMEOUT_504", true],
    ["ORDER_*", "PREORDER_PAY_1", false],
    ["*_504", "ORDER_PAY_TIMEOUT_504", true],
    ["*_504", "ORDER_PAY_TIMEOUT_1504", false],
    ["ORDER_PAY_TIMEOUT_504", "ORDER_PAY_TIMEOUT_504", true],
    ["*A*A*", "XA", false],
    ["A*A", "A", false],
    ["*", "ANY_CODE_1", true],
  ])("%s on %s is %s", (pattern, code, expected) => {
    expect(matchesCode(pattern, code)).toBe(expected);
  });

  it("agrees with a regular expression made of it, on any two texts (EXC-5)", () => {
    const patterns = fc.array(fc.oneof(letters, fc.constant("*")), { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(patterns, text(10), (pattern, code) => {
        expect(matchesCode(pattern, code)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(code));
      }),
      { numRuns: 2_000 },
    );
  });
});
