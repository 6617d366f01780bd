import { expect, it } from "vitest";
import { withoutDirection } from "./forward-only";

it("a paged query sends only what the strict input knows", () => {
  expect(withoutDirection({ projectId: "p", cursor: null, direction: "forward" })).toEqual({ projectId: "p", cursor: null });
});

it("other inputs pass unchanged", () => {
  const input = { projectId: "p" };
  expect(withoutDirection(input)).toBe(input);
  expect(withoutDirection(undefined)).toBeUndefined();
});
