import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codesText, jsonText, linesText, looksLikeBrokenJson, pairsText, shownText, wordsText } from "./field-text";

const awkward = fc.constantFrom("", " ", '"', '"a"', "a\nb", "a: b", "a=b", ":", "=", "null", "7", "{", '{"a":1}', "{{ params.x }}", " x ");
const text = fc.oneof(fc.string({ unit: "grapheme" }), awkward);

describe("the text of a structured field", () => {
  test("reads back as the same value: JSON, arguments, headers, variables (PIP-5)", () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(
        fc.oneof(
          json.filter((value) => jsonText.parse(JSON.stringify(value)) !== JSON.stringify(value)),
          text,
        ),
        (value) => {
          expect(jsonText.parse(jsonText.format(value))).toEqual(value);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(text), (value) => {
        expect(linesText.parse(linesText.format(value))).toEqual(value);
      }),
    );
    for (const pairs of [pairsText(": "), pairsText("=")]) {
      fc.assert(
        fc.property(fc.dictionary(text, text, { minKeys: 1, noNullPrototype: true }), (value) => {
          expect(pairs.parse(pairs.format(value))).toEqual(value);
        }),
      );
    }
  });

  test("has a value for whatever has been typed so far, and never throws (PIP-4)", () => {
    fc.assert(
      fc.property(text, (typed) => {
        for (const kind of [jsonText, linesText, pairsText(": "), wordsText, codesText]) kind.format(kind.parse(typed) as never);
      }),
    );
  });

  test("keeps an integer beyond 2^53 as text rather than round it (B80)", () => {
    expect(jsonText.parse('{"id": 7615917337495251231}')).toBe('{"id": 7615917337495251231}');
  });

  test.each([
    ['{"a": ', true],
    ["[1,", true],
    ["{{ params.x }}", false],
    ["hello", false],
    ['{"a": 1}', false],
  ])("%s is broken JSON: %s", (typed, expected) => {
    expect(looksLikeBrokenJson(jsonText.parse(typed))).toBe(expected);
  });

  test("status codes may be ranges", () => {
    expect(codesText.parse("200, 202-204, x")).toEqual([200, 202, 203, 204]);
    expect(codesText.parse("")).toBeUndefined();
  });
});

describe("shownText", () => {
  test("shows what was typed in its own field while it means the stored value, and nowhere else (B90)", () => {
    const buffer = { field: "a with.input", text: '{ "x" : 1 }' };
    expect(shownText(jsonText, buffer, "a with.input", { x: 1 })).toBe('{ "x" : 1 }');
    expect(shownText(jsonText, buffer, "b with.input", { x: 1 })).toBe('{\n  "x": 1\n}');
    expect(shownText(jsonText, buffer, "a with.input", { x: 2 })).toBe('{\n  "x": 2\n}');
  });
});
