import { expect, test } from "vitest";
import { textMask } from "@/server/domain/errors/mask-text";
import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { failureOf } from "../fault";
import { faultOf, saidError } from "./command-fault";

const node = {
  domain: "ORDER",
  node: { key: "a", type: "command", module: "INVENTORY", with: { argv: ["x"] } } as unknown as NodeDefinition,
  businessKeys: { order_id: "from the run" },
};
const failed = (stdout: string, stderr: string, code = 3) => {
  const told = { program: "python3", stderr, said: saidError(stdout, stderr) };
  const fault = faultOf({ code, signal: null, error: null }, told, 0);
  return fault && failureOf(fault, node, textMask([]));
};

test.each([
  ["::apollo-error code=SHORTAGE_409", "ORDER_INVENTORY_SHORTAGE_409"],
  ["::apollo-error code=SHORTAGE", "ORDER_INVENTORY_SHORTAGE_3"],
  ["::apollo-error code=ORDER_INVENTORY_SHORTAGE_409", "ORDER_INVENTORY_SHORTAGE_409"],
  ["::apollo-error code=PAYMENT_INVENTORY_SHORTAGE_409", "ORDER_INVENTORY_SHORTAGE_409"],
  ["::apollo-error code=WORKER_OOM_137", "ORDER_INVENTORY_WORKER_OOM_137"],
  ["::apollo-error code=ValueError_1", "ORDER_INVENTORY_ERROR_1"],
  ["::apollo-error", "ORDER_INVENTORY_EXIT_3"],
  ["no stock", "ORDER_INVENTORY_EXIT_3"],
])("a command that ends with %s has the code %s, on either stream (EXC-1)", (line, code) => {
  expect(failed(`begin\n${line}`.split("\n").at(-1) ?? "", "Traceback\n")?.code).toBe(code);
  expect(failed("ok", `Traceback\nValueError: x\n${line}\n\n`)?.code).toBe(code);
});

test("what a command says counts only in its last line, and only where it failed (EXC-1)", () => {
  expect(failed("ok", "::apollo-error code=SHORTAGE_409\nand more\n")?.code).toBe("ORDER_INVENTORY_EXIT_3");
  expect(failed("::apollo-error code=SHORTAGE_409", "", 0)).toBeNull();
});

test("message, retry and business keys are taken from the line, and all else is dropped (EXC-1, EXC-2)", () => {
  const line = '::apollo-error code=SHORTAGE_409 message="13800138000 waits" retryable=false retry_after=30 order_id=A-17 mood=bad';
  expect(failed(line, "noise")).toMatchObject({
    message: "*** waits",
    retryable: false,
    retryAfterMs: 30_000,
    context: { order_id: "A-17" },
  });
});

test("what was said from outside is masked before it is cut: no half of a phone number is left (EXC-2)", () => {
  for (const cut of [1_990, 1_995, 2_000]) {
    const message = failed("", `${"x".repeat(cut)} 13800138000 ${"y".repeat(50)}`)?.message ?? "";
    expect(message).not.toMatch(/\d{4}/);
  }
  expect(failed("", `${"z".repeat(20_000)}`)?.message).toBe("python3 ended with exit code 3");
});
