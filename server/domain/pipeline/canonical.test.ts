import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, sameJson } from "./canonical";

test("equal values give equal text whatever the order of their fields, and read back equal (PIP-7)", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { noNullPrototype: true }), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("a field without a value is as good as absent, the order of a list is not (PIP-7)", () => {
  expect(canonicalJson({ b: undefined, a: [2, 1] })).toBe('{"a":[2,1]}');
});

test("two values are the same exactly when their canonical texts are (PIP-7)", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(json, json, (left, right) => {
      expect(sameJson(left, right)).toBe(canonicalJson(left) === canonicalJson(right));
      expect(sameJson(left, JSON.parse(canonicalJson(left)))).toBe(true);
    }),
  );
  expect(sameJson({ a: undefined, b: [1] }, { b: [1] })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson([], {})).toBe(false);
});
