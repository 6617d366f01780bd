import { expect, test } from "vitest";
import { readProblem } from "./problem-document";

const MEDIA = "application/problem+json; charset=utf-8";
const read = (members: object) => readProblem(MEDIA, JSON.stringify(members));

test("a problem document gives the words of its type, its title and detail, and its own members (EXC-1)", () => {
  const type = "https://example.com/probs/out-of-stock";
  expect(read({ type, title: "Out of stock", detail: "3 of A-1 are left.", status: 409, sku_id: "A-1", left: 3, more: { x: 1 } })).toEqual({
    status: "OUT_OF_STOCK",
    text: "Out of stock: 3 of A-1 are left. (https://example.com/probs/out-of-stock)",
    context: { sku_id: "A-1", left: "3" },
  });
});

test.each([
  ["urn:problem:credit-too-low", "CREDIT_TOO_LOW"],
  ["/errors/cardRefused", "CARD_REFUSED"],
  ["https://example.com/errors#limit-reached", "LIMIT_REACHED"],
  ["about:blank", null],
  ["https://example.com/errors/40917", null],
  ["https://developer.mozilla.org/docs/409.html", null],
  [7, null],
])("the type %s says %s (EXC-1)", (type, status) => {
  expect(read({ type, title: "t" })?.status).toBe(status);
});

test("what is no problem document says nothing (EXC-1)", () => {
  expect(readProblem("application/json", '{"title":"x"}')).toBeNull();
  expect(readProblem(undefined, '{"title":"x"}')).toBeNull();
  expect(readProblem(MEDIA, "<html>")).toBeNull();
  expect(readProblem(MEDIA, "[1]")).toBeNull();
});
