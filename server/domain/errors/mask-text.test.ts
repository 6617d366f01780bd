import fc from "fast-check";
import { expect, test } from "vitest";
import { maskOutput } from "./mask-output";
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

/** How programs, services and shells write a text that they were given. */
const WAYS: Readonly<Record<string, (text: string) => string>> = {
  percent: (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join(""),
  "percent, lower case": (text) => encodeURIComponent(text).replace(/%../g, (sign) => sign.toLowerCase()),
  "percent, twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "percent, three times": (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
  "a form": (text) => new URLSearchParams({ k: text }).toString().slice(2),
  "u escapes": (text) => Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  "u escapes in JSON in JSON": (text) =>
    JSON.stringify(JSON.stringify(text).replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)),
  "x escapes": (text) => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
  JSON: (text) => JSON.stringify({ k: text }),
  "JSON in JSON": (text) => JSON.stringify(JSON.stringify(text)),
  HTML: (text) => text.replace(/[^A-Za-z0-9]/gu, (letter) => `&#${letter.codePointAt(0)};`),
  "HTML, hexadecimal": (text) => text.replace(/./gu, (letter) => `&#x${letter.codePointAt(0)?.toString(16)};`),
  "HTML, twice": (text) => text.replace(/[^A-Za-z0-9]/gu, (letter) => `&amp;#${letter.codePointAt(0)};`),
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 in a URL": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "base64url, one off": (text) => Buffer.from(`a${text}b`).toString("base64url"),
  "base64, two off": (text) => Buffer.from(`ab${text}cd`).toString("base64"),
  "base64 in lines": (text) =>
    (
      Buffer.from(`user:${text}`)
        .toString("base64")
        .match(/.{1,9}/g) ?? []
    ).join("\n"),
  hexadecimal: (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "upper case": (text) => text.toUpperCase(),
  "lower case": (text) => text.toLowerCase(),
  "two lines": (text) => `${text.slice(0, 5)}\n${text.slice(5)}`,
  "two lines, indented": (text) => `${text.slice(0, 6)}\r\n    ${text.slice(6)}`,
  "the first eight letters": (text) => text.slice(0, 8),
  "all but its end": (text) => text.slice(0, -3),
};

/** Whether a reader who knows the encoding still finds six letters of the secret in a row. */
function leaks(masked: string, written: string): boolean {
  const pieces = masked.toLowerCase().split("***");
  return pieces.some((piece) =>
    Array.from({ length: Math.max(0, written.length - 8) }, (_, at) => written.slice(at, at + 9)).some((part) =>
      piece.includes(part.toLowerCase()),
    ),
  );
}

test.each(Object.entries(WAYS))("a secret written as %s is masked, in a text and in an output (B101)", (_, way) => {
  for (const secret of ["Kanarie-7/+=x&<Ω>z!", 'geheim"nis\\mit%41zeichen', "AbCd0123456789eFgH"]) {
    const written = way(secret);
    const masked = textMask([secret])(`before ${written} after`);
    expect(masked).toMatch(/^before .*\*\*\*.* after$/s);
    expect(leaks(masked, written), masked).toBe(false);
    const { output, found } = maskOutput([written], { key: secret });
    expect(found).toEqual([{ name: "key", path: "[0]" }]);
    expect(leaks(String((output as string[])[0]), written)).toBe(false);
  }
});

test.each([
  "https://hooks.example.org/T0/B0/abcdefgh",
  "password-of-the-house",
  "postgres://u:kanarie@db/x",
  `eyJhbGciOiJIUzI1NiJ9${".abcdefgh.ijklmnop"}`,
])("the beginning that %s shares with others is not taken for it (B101)", (secret) => {
  const text = "https://example.org has a password form on postgres://db/x";
  expect(textMask([secret])(text)).toBe(text);
  expect(textMask([secret])(`x ${secret} y`)).toMatch(/^x .*\*\*\* y$/);
});

test.each([
  ["a line break that JSON wrote", '{"t":"call\\n13800138000\\nnow"}', '{"t":"call\\n***\\nnow"}'],
  ["u escapes", "tel \\u0031\\u0033\\u0038\\u0030\\u0030\\u0031\\u0033\\u0038\\u0030\\u0030\\u0030.", "tel ***."],
  ["percent", "tel=%2B86%20138%200013%208000&x=1", "tel=***&x=1"],
  ["percent in percent", "to=canary%2540mail.example.com&x", "to=***&x"],
  ["full width", "电话１３８００１３８０００。", "电话***。"],
  ["HTML", "to canary&#64;mail.example.com now", "to *** now"],
])("what is known by its look is masked under %s as well (EXC-2)", (_, text, masked) => {
  expect(textMask([])(text)).toBe(masked);
});

test("the work grows with the text and no faster, whatever it is full of: 1 MB with twenty secrets (EXC-2)", () => {
  const mask = textMask(Array.from({ length: 20 }, (_, no) => `secret-${no}-${"abcdefgh".repeat(3)}`));
  for (const line of [
    "an ordinary line of a log, order 4711\n",
    'q=%7B%22a%22%3A1%7D \\u0041 {"a":"b\\n"}\n',
    "\\".repeat(40),
    "%".repeat(40),
    "-----BEGIN PRIVATE KEY-----",
  ]) {
    const text = line.repeat(Math.ceil(1_000_000 / line.length));
    const from = performance.now();
    mask(text);
    expect(performance.now() - from, line).toBeLessThan(15_000);
  }
}, 90_000);
