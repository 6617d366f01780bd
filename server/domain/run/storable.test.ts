import { describe, expect, it } from "vitest";
import { failureOf } from "@/db/testing/plans";
import { judgeOutput, storableReport } from "./storable";
import { type AttemptReport, MAX_OUTPUT_BYTES } from "./work";

const report = (end: Partial<AttemptReport>): AttemptReport =>
  ({
    runId: "r",
    key: "a",
    generation: 1,
    attemptNo: 1,
    executionId: "x",
    token: 1,
    group: "default",
    times: { pickedUpAt: new Date(0), executingAt: null },
    inputs: {},
    response: null,
    logBytes: 0,
    logTruncated: false,
    hops: 0,
    kind: "succeeded",
    output: null,
    ...end,
  }) as AttemptReport;

describe("what a report may bring into the database", () => {
  it("turns a success whose output holds a NUL or half a surrogate pair into one failure that is not retried (B78)", () => {
    for (const output of ["a\u0000b", { deep: [{ "k\u0000": 1 }] }, ["\ud83d"]]) {
      expect(storableReport(report({ output }))).toMatchObject({
        kind: "failed",
        failure: { code: "APOLLO_OUTPUT_INVALID_422", retryable: false },
      });
    }
    expect(storableReport(report({ output: "😀 订单" }))).toMatchObject({ kind: "succeeded", output: "😀 订单" });
  });

  it("turns a success whose output is too large into a failure, never into a success with other data (B81)", () => {
    const fits = "x".repeat(MAX_OUTPUT_BYTES - 2);
    expect(judgeOutput(fits)).toEqual({ ok: true, value: fits });
    expect(judgeOutput(`${fits}x`)).toMatchObject({ ok: false, fault: "outputTooLarge" });
    expect(judgeOutput("订".repeat(MAX_OUTPUT_BYTES / 3))).toMatchObject({ ok: false, fault: "outputTooLarge" });
    expect(storableReport(report({ output: `${fits}x` }))).toMatchObject({
      kind: "failed",
      failure: { code: "APOLLO_OUTPUT_TOO_LARGE_413", message: expect.stringContaining(String(MAX_OUTPUT_BYTES + 1)) },
    });
  });

  it("refuses an output that is nested without end instead of failing on it (B78)", () => {
    let output: unknown = 1;
    for (let level = 0; level < 100_000; level++) output = [output];
    expect(judgeOutput(output)).toMatchObject({ ok: false, fault: "outputInvalid" });
  });

  it("marks what cannot be stored in messages, inputs and answers, and keeps the rest (B78)", () => {
    const told = storableReport(
      report({
        kind: "failed",
        failure: failureOf("TEST_A_B_500", true, "x\u0000y"),
        inputs: { a: "\u0000" },
        response: { body: "\ud800" },
      }),
    );
    expect(told).toMatchObject({ failure: { message: "x␀y" }, inputs: { a: "␀" }, response: { body: "\ufffd" } });
  });
});
