import fc from "fast-check";
import { expect, test } from "vitest";
import { composeCode, isErrorCode, MAX_CODE_LENGTH, PLATFORM_CODES } from "./code";

test.each([
  [{ domain: "ORDER", module: "INVENTORY", status: "SHORTAGE", number: 409 }, "ORDER_INVENTORY_SHORTAGE_409"],
  [{ domain: "ORDER", module: "WAREHOUSE", status: "rateLimit", number: 429 }, "ORDER_WAREHOUSE_RATE_LIMIT_429"],
  [{ domain: "ORDER", module: "", status: "", number: 1.7 }, "ORDER_STEP_ERROR_1"],
  [{ domain: "ORDER", module: "A", status: "too large!", number: -3 }, "ORDER_A_TOO_LARGE_0"],
])("%o is %s (EXC-1)", (parts, code) => {
  expect(composeCode(parts)).toBe(code);
});

test("whatever a worker says, the code has three levels, at most 64 characters, the pipeline's domain and a number (EXC-1)", () => {
  const word = fc.stringMatching(/^[A-Z][A-Z0-9]{0,12}(_[A-Z0-9]{1,8}){0,2}$/).map((text) => text.slice(0, 32).replace(/_+$/, ""));
  const parts = fc.record({
    domain: word,
    module: fc.oneof(word, fc.string()),
    status: fc.string({ maxLength: 200 }),
    number: fc.integer(),
  });
  fc.assert(
    fc.property(parts, (given) => {
      const code = composeCode(given);
      expect(isErrorCode(code), code).toBe(true);
      expect(code.length).toBeLessThanOrEqual(MAX_CODE_LENGTH);
      expect(code.startsWith(`${given.domain}_`)).toBe(true);
    }),
  );
});

test.each([
  "ORDER_409",
  "order_inventory_shortage_409",
  "ORDER_INVENTORY_SHORTAGE",
  "ORDER__X_1",
  "1ORDER_X_1",
  `ORDER_${"X".repeat(60)}_1`,
  "TypeError",
])("%s is no code (EXC-1)", (text) => {
  expect(isErrorCode(text)).toBe(false);
});

test.each(Object.values(PLATFORM_CODES))("the platform's own %s is a code (EXC-1)", (code) => {
  expect(isErrorCode(code)).toBe(true);
});
