import { expect, test } from "vitest";
import { MAX_OUTPUT_BYTES } from "@/server/domain/run/work";
import { acceptJson, acceptValue } from "./output";

const refusal = (outcome: ReturnType<typeof acceptJson>) => (outcome.kind === "refused" && "code" in outcome.fault ? outcome.fault : null);

test("an id beyond 2^53 keeps every digit, as text and with a note (B80)", () => {
  const outcome = acceptJson('{"id":7615917337495251231,"d":0.1,"list":[-9007199254740993]}');
  expect(outcome).toMatchObject({ kind: "accepted", output: { id: "7615917337495251231", d: 0.1, list: ["-9007199254740993"] } });
  expect(outcome.kind === "accepted" && outcome.notes).toEqual([
    expect.stringMatching(/^id = 7615917337495251231 /),
    expect.stringMatching(/^list\[0\] = -9007199254740993 /),
  ]);
});

test.each([
  ["a NUL", '{"s":"a\\u0000b"}', /^The output s /],
  ["half of a character", '["\\ud800"]', /Unicode/],
  ["no JSON", "{oops}", /no JSON/],
  ["two fields of one name", '{"a":1,"a":2}', /twice/],
])("%s in an output is refused once and for good (B78)", (_, text, message) => {
  const fault = refusal(acceptJson(text));
  expect(fault).toMatchObject({ code: "APOLLO_OUTPUT_INVALID_422", retryable: false });
  expect(fault?.message).toMatch(message);
});

test("an output is taken up to the limit and refused above it, never cut (B81)", () => {
  const fits = "x".repeat(MAX_OUTPUT_BYTES - 2);
  expect(acceptJson(JSON.stringify(fits))).toEqual({ kind: "accepted", output: fits, notes: [] });
  expect(refusal(acceptJson(JSON.stringify(`${fits}x`)))).toMatchObject({ code: "APOLLO_OUTPUT_TOO_LARGE_413", retryable: false });
  expect(refusal(acceptValue("é".repeat(MAX_OUTPUT_BYTES / 2)))).toMatchObject({ code: "APOLLO_OUTPUT_TOO_LARGE_413" });
});
