import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText } from "./cut-text";

test("whatever it cuts, it leaves no half of a character that a database would refuse (B78)", () => {
  expect(cutText(`${"x".repeat(8)}😀`, 10)).toBe(`${"x".repeat(8)}😀`);
  expect(cutText(`${"x".repeat(8)}😀y`, 10)).toBe(`${"x".repeat(8)}…`);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 2, max: 30 }), (text, length) => {
      const cut = cutText(text, length);
      expect(cut.length).toBeLessThanOrEqual(length);
      expect(/\p{Surrogate}/u.test(cut)).toBe(false);
    }),
  );
});
