import fc from "fast-check";
import { expect, test } from "vitest";
import { maskTree, textMask } from "./mask-text";

const SECRET = "kanarie-Ω7/+ =%x";

test.each([
  ["plain", SECRET],
  ["URL", encodeURIComponent(SECRET)],
  ["JSON", JSON.stringify(SECRET)],
  ["hexadecimal", Buffer.from(SECRET).toString("hex")],
  ["base64", Buffer.from(SECRET).toString("base64")],
  ["base64url", Buffer.from(SECRET).toString("base64url")],
  ["base64 of user:secret", Buffer.from(`user:${SECRET}`).toString("base64")],
  ["base64 of ab:secret", Buffer.from(`ab:${SECRET}`).toString("base64")],
  ["base64 of a:secret", Buffer.from(`a:${SECRET}`).toString("base64")],
])("a secret in %s is masked (SEC-1)", (_, written) => {
  const masked = textMask([SECRET])(`before ${written} after`);
  expect(masked).toContain("***");
  expect(masked).not.toContain(written);
  expect(masked).toMatch(/^before .* after$/);
});

test("no text that holds a secret keeps it (SEC-1)", () => {
  const secret = fc.string({ minLength: 4, maxLength: 60, unit: "grapheme" });
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      fc.pre(!"*** ***".includes(value) && !value.includes("***"));
      const masked = textMask([value])(`${before}${value}${after}`);
      // What comes together by the masking of its surroundings is no leak of the value that was there.
      expect(masked.split("***").some((part) => part.includes(value))).toBe(false);
    }),
  );
});

test("each line of a secret of several lines is masked by itself (SEC-1)", () => {
  const mask = textMask(["-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----"]);
  expect(mask("line abcdefgh")).toBe("line ***");
});

test.each([
  ["Authorization: Bearer abcdef123456.xyz", "Authorization: Bearer ***"],
  ["token eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln rest", "token *** rest"],
  ["postgres://apollo:hunter2@db:5432/x", "postgres://apollo:***@db:5432/x"],
])("what looks like a credential is masked: %s (SEC-1)", (text, masked) => {
  expect(textMask([])(text)).toBe(masked);
});

test("a tree is masked in its keys and values, and numbers stay (SEC-1)", () => {
  expect(maskTree({ a: [SECRET, 1], [SECRET]: null }, textMask([SECRET]))).toEqual({ a: ["***", 1], "***": null });
});

test("masked keys of one object stay apart, and none of their values is lost (SEC-1)", () => {
  expect(maskTree({ [`a ${SECRET}`]: 1, [`a ${encodeURIComponent(SECRET)}`]: 2 }, textMask([SECRET]))).toEqual({
    "a ***": 1,
    "a *** (2)": 2,
  });
});
