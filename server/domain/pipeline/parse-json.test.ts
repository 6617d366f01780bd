import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "./parse-json";

const plain = (text: string): unknown => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
};

describe("parseJson", () => {
  test("reads every JSON value as JSON.parse does, spaces or not (PIP-7)", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const parsed = parseJson(text);
        const unsafe = /-?\d{16,}(?![.\d]*e)/i.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""));
        if (!unsafe) expect(parsed).toEqual({ kind: "value", value: JSON.parse(text) });
      }),
    );
  });

  test("refuses exactly the texts that JSON.parse refuses, and those alone (PIP-7)", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "nul",
      " ",
      "\n",
      '"\\u00e9"',
      '"\t"',
      "1.",
      "+1",
      "'a'",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        const parsed = parseJson(text);
        if (parsed.kind !== "refused") expect(parsed.kind === "value").toBe(plain(text) !== null);
      }),
      { numRuns: 2_000 },
    );
  });

  test("keeps every digit of an integer beyond 2^53 (B80)", () => {
    expect(parseJson('{"id":7615917337495251231,"n":-9007199254740993,"safe":9007199254740991}')).toEqual({
      kind: "value",
      value: { id: 7615917337495251231n, n: -9007199254740993n, safe: 9007199254740991 },
    });
  });

  test("refuses a field that stands twice and a tree that is too deep, where they stand (SEC-3)", () => {
    expect(parseJson('{"a":1,"a":2}')).toMatchObject({ kind: "refused", code: "duplicate_key", position: 7 });
    expect(parseJson("[".repeat(1_000_000))).toMatchObject({ kind: "refused", code: "too_deep" });
  });

  test("random text never throws (SEC-3)", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => parseJson(text).kind.length > 0));
  });
});
