import { expect, it } from "vitest";
import { requestKeys } from "./request-keys";

it("a press whose answer was lost is the same request, other values are another (RUN-3)", () => {
  let n = 0;
  const keyOf = requestKeys(() => String(++n));
  expect(keyOf({ day: "2026-03-01" })).toBe("console-1");
  expect(keyOf({ day: "2026-03-01" })).toBe("console-1");
  expect(keyOf({ day: "2026-03-02" })).toBe("console-2");
  expect(requestKeys()({})).not.toBe(requestKeys()({}));
});
