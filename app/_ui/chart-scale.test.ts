import { describe, expect, it } from "vitest";
import { axisTop, linePath, nearestPoint } from "./chart-scale";

describe("the scale of a chart", () => {
  it.each([
    [0, 1],
    [Number.NaN, 1],
    [0.03, 0.05],
    [1, 1],
    [1.01, 2],
    [210, 250],
    [251, 500],
    [7_001, 10_000],
  ])("an axis over %s ends at %s", (most, top) => {
    expect(axisTop(most)).toBeCloseTo(top, 10);
  });

  it("a stretch without a value breaks the line, and one value alone is a dot", () => {
    expect(linePath([0, 50, null, 100, null], 100)).toBe("M0.00 100.00h0L25.00 50.00M75.00 0.00h0");
  });

  it("nothing at all is no line", () => {
    expect([linePath([], 1), linePath([null, null], 1)]).toEqual(["", ""]);
  });

  it("a place outside of the chart is its first or last point", () => {
    expect([nearestPoint(-1, 60), nearestPoint(0.5, 3), nearestPoint(2, 60), nearestPoint(0.5, 1)]).toEqual([0, 1, 59, 0]);
  });
});
