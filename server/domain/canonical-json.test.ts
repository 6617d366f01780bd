import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, plainJson } from "./canonical-json";

const json = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
};

it("one value has one text, in whatever order its members were written (AUD-2)", () => {
  fc.assert(fc.property(json, (value) => canonicalJson(reversed(value)) === canonicalJson(value)));
});

it("the text says what is stored, no more and no less (AUD-2)", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(plainJson(value))));
    }),
  );
});

it("what jsonb cannot hold is marked, and members go by their names, numbers too (AUD-2, B78)", () => {
  const value = { b: 1, a: new Date(0), 10: -0, 9: "a\u0000\ud800b😀", gone: undefined, none: null, nan: Number.NaN, big: 10n };
  expect(canonicalJson(value)).toBe(
    '{"10":0,"9":"a\u2400\ufffdb😀","a":"1970-01-01T00:00:00.000Z","b":1,"big":"10","nan":null,"none":null}',
  );
});
