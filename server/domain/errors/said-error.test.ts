import fc from "fast-check";
import { expect, test } from "vitest";
import { composeCode, isErrorCode } from "./code";
import { ownStatus, readSaidError } from "./said-error";

test.each([
  ["::apollo-error code=SHORTAGE_409", { status: "SHORTAGE", number: 409, message: null, retryable: null, context: {} }],
  ["  ::apollo-error code=rate-limit-429 retry_after=30  ", { status: "rate-limit", number: 429, retryAfterMs: 30_000 }],
  [
    '::apollo-error code=SHORTAGE message="none \\"left\\" of it" retryable=false order_id=A-17 code=OTHER_1',
    { status: "SHORTAGE", number: null, message: 'none "left" of it', retryable: false, context: { order_id: "A-17" } },
  ],
  ["::apollo-error", { status: "", number: null, retryAfterMs: null }],
  ["::apollo-error code=X_1 retry_after=soon retryable=perhaps = ==", { status: "X", number: 1, retryAfterMs: null, retryable: null }],
  ["::apollo-error code=X_1 retry_after=2m", { retryAfterMs: 120_000 }],
])("the line %s is read (EXC-1)", (line, said) => {
  expect(readSaidError(line)).toMatchObject(said);
});

test.each(["", "apollo-error code=X_1", "::apollo-errors code=X_1", "a ::apollo-error code=X_1", "::error code=X_1"])(
  "the line %s says nothing (EXC-1)",
  (line) => {
    expect(readSaidError(line)).toBeNull();
  },
);

const CASES: [said: string, status: string][] = [
  ["SHORTAGE", "SHORTAGE"],
  ["rateLimit", "RATE_LIMIT"],
  // The whole code, and a part of it: domain and module are not said twice.
  ["ORDER_INVENTORY_SHORTAGE", "SHORTAGE"],
  ["INVENTORY_SHORTAGE", "SHORTAGE"],
  ["ORDER_SHORTAGE", "SHORTAGE"],
  // Another's domain is no domain, and the status stays.
  ["PAYMENT_INVENTORY_SHORTAGE", "SHORTAGE"],
  ["PAYMENT_GATEWAY_REFUSED", "PAYMENT_GATEWAY_REFUSED"],
  ["APOLLO_WORKER_LOST", "APOLLO_WORKER_LOST"],
  ["INVENTORY", "INVENTORY"],
  // A class's name says nothing of what happened.
  ["TypeError", "ERROR"],
  ["NullPointerException", "ERROR"],
  ["java.lang.IllegalStateException", "ERROR"],
  ["requests.exceptions.Timeout", "ERROR"],
];
test.each(CASES)("of %s the status in ORDER, INVENTORY is %s (EXC-1)", (said, status) => {
  expect(ownStatus(said, "ORDER", "INVENTORY")).toBe(status);
});

test("whatever a worker says, its pipeline's domain and its step's module stand first (EXC-1)", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), fc.string({ maxLength: 80 }), (line, more) => {
      const said = readSaidError(`::apollo-error code=${line} ${more}`);
      const status = ownStatus(said?.status ?? "", "ORDER", "INVENTORY");
      const code = composeCode({ domain: "ORDER", module: "INVENTORY", status, number: said?.number ?? 1 });
      expect(isErrorCode(code)).toBe(true);
      expect(code.startsWith("ORDER_INVENTORY_")).toBe(true);
    }),
  );
});
