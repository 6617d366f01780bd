import { expect, test } from "vitest";
import { textMask } from "@/server/domain/errors/mask-text";
import { type Fault, failureOf } from "./fault";

const NODE = { domain: "ORDER", node: { type: "command", module: "LOAD" }, businessKeys: {} } as unknown as Parameters<typeof failureOf>[1];
const codeOf = (status: string, secrets: readonly string[] = []) =>
  failureOf({ status, number: 404, message: "m", retryable: true } as Fault, NODE, textMask(secrets)).code;

test("a status names a fault: one that holds a phone number, an order's number or a secret says nothing instead (EXC-1, EXC-2)", () => {
  expect(codeOf("STOCK_SHORTAGE")).toBe("ORDER_LOAD_STOCK_SHORTAGE_404");
  expect(codeOf("HTTP_404")).toBe("ORDER_LOAD_HTTP_404_404");
  expect(codeOf("USER_13800138000_NOT_FOUND")).toBe("ORDER_LOAD_ERROR_404");
  expect(codeOf("ORDER_20261130_LATE")).toBe("ORDER_LOAD_ERROR_404");
  expect(codeOf("bad hunter2secret", ["hunter2secret"])).toBe("ORDER_LOAD_ERROR_404");
});
