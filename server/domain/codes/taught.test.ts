import { describe, expect, it } from "vitest";
import { messageShape } from "./message-shape";
import { asTaught, taughtOf } from "./taught";

const TO = "TEST_STOCK_SHORTAGE_409";
const taught = taughtOf([
  ["TEST_COMMAND_EXIT_3", "abc", "no stock of #", TO],
  ["TEST_COMMAND_EXIT_3", "", "permission denied", "TEST_FILE_FORBIDDEN_403"],
]);
const failure = { code: "TEST_COMMAND_EXIT_3", message: "no stock of A-17", stackHash: "abc" as string | null, retryable: true };

describe("a failure that the inbox was taught", () => {
  it("bears the registered code, and what its worker said beside it (EXC-1)", () => {
    expect(asTaught(failure, taught)).toEqual({ ...failure, code: TO, saidCode: "TEST_COMMAND_EXIT_3" });
    const bare = { ...failure, message: "permission denied", stackHash: null };
    expect(asTaught(bare, taught)).toMatchObject({ code: "TEST_FILE_FORBIDDEN_403" });
  });

  it.each([
    ["of another stack", { stackHash: "abd" }],
    ["without a stack", { stackHash: null }],
    ["of another shape", { message: "no stock at A-17" }],
    ["of another code", { code: "TEST_COMMAND_EXIT_4" }],
  ])("is as it was said where it is %s (EXC-1)", (_, other) => {
    const said = { ...failure, ...other };
    expect(asTaught(said, taught)).toBe(said);
  });
});

describe("the shape of a message", () => {
  it.each([
    ["no stock of A-17", "no stock of #"],
    ["order 'A 17' by \"Ann\" failed\nat line 3", 'order "…" by "…" failed'],
    ["  12:30 busy  ", "# busy"],
    ["缺货 SKU-9\u3000三件", "缺货 #\u3000三件"],
    ["", ""],
  ])("of %j is %j", (message, shape) => expect(messageShape(message)).toBe(shape));
});
