import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ParamDefinition } from "./definition";
import { isCalendarDate, validateParams } from "./params";

const definitions: Record<string, ParamDefinition> = {
  order_id: { type: "string", min: 2, max: 8 },
  count: { type: "integer", min: 1, max: 10, default: 3 },
  rate: { type: "number", required: false },
  dry: { type: "boolean", default: false },
  day: { type: "date", default: "2026-03-01" },
  tier: { type: "enum", values: ["gold", "silver"], default: "gold" },
  extra: { type: "object", required: false },
};

const codes = (input: unknown) => {
  const result = validateParams(definitions, input);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};

describe("validateParams", () => {
  test("fills in defaults, and null for what may be absent (PIP-8)", () => {
    expect(validateParams(definitions, { order_id: "12345" })).toEqual({
      ok: true,
      values: { order_id: "12345", count: 3, rate: null, dry: false, day: "2026-03-01", tier: "gold", extra: null },
    });
  });

  test.each<[unknown, string[]]>([
    [{}, ["order_id required"]],
    [null, ["order_id required"]],
    [{ order_id: null }, ["order_id required"]],
    [{ order_id: 12345 }, ["order_id invalid_type"]],
    [{ order_id: "x" }, ["order_id too_short"]],
    [{ order_id: "123456789" }, ["order_id too_long"]],
    [{ order_id: "12", count: "3" }, ["count invalid_type"]],
    [{ order_id: "12", count: 3.5 }, ["count invalid_type"]],
    [{ order_id: "12", count: 11 }, ["count too_big"]],
    [{ order_id: "12", count: 2 ** 60 }, ["count unsafe_integer"]],
    [{ order_id: "12", dry: "true" }, ["dry invalid_type"]],
    [{ order_id: "12", day: "2026-02-29" }, ["day not_a_date"]],
    [{ order_id: "12", tier: "bronze" }, ["tier not_a_choice"]],
    [{ order_id: "12", extra: [1] }, ["extra invalid_type"]],
    [{ order_id: "12", orderId: "12" }, ["orderId unknown_param"]],
    [{ order_id: "12", constructor: 1 }, ["constructor unknown_param"]],
    [{ order_id: "a\u0000b" }, ["order_id nul_byte"]],
    [[1], [" invalid_type"]],
    ["text", [" invalid_type"]],
    [{ order_id: "12", extra: { a: "x".repeat(300_000) } }, [" too_large"]],
  ])("%j → %j (PIP-8)", (input, expected) => {
    expect(codes(input)).toEqual(expected);
  });

  test("any input gets values or issues and never throws (PIP-8)", () => {
    fc.assert(fc.property(fc.anything(), (input) => validateParams(definitions, input).ok === (codes(input).length === 0)));
  });
});

test("isCalendarDate knows every day that exists and no other (PIP-8)", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("0100-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true }), (date) => {
      const text = date.toISOString().slice(0, 10);
      expect(isCalendarDate(text)).toBe(true);
    }),
  );
  for (const text of ["2026-13-01", "2026-00-10", "2026-04-31", "2100-02-29", "26-01-01", "2026-1-1", ""])
    expect(isCalendarDate(text)).toBe(false);
});
