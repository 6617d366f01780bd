import { describe, expect, it } from "vitest";
import { safeNext } from "./post-json";

describe("the way back after signing in", () => {
  it.each(["/", "/runs?state=FAILED", "/pipelines/orders-daily"])("%s is a path of the console and is followed", (next) => {
    expect(safeNext(next)).toBe(next);
  });

  it.each([
    null,
    undefined,
    "",
    "https://elsewhere.example",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "runs",
    "/sign-in?next=/sign-in",
  ])("%s leads home instead", (next) => {
    expect(safeNext(next)).toBe("/");
  });
});
