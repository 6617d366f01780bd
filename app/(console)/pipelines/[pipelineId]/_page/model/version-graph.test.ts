import { describe, expect, it } from "vitest";
import { drawGraph } from "./version-graph";

const nodes = [
  { key: "a", needs: [] },
  { key: "b", needs: ["a"] },
  { key: "c", needs: ["a", "ghost"] },
];

describe("the graph of the live version (PIP-1)", () => {
  it("starts at the upper left corner wherever its author has put it, and holds every card", () => {
    const drawn = drawGraph(nodes, { a: { x: -400, y: 900 }, b: { x: -100, y: 900 }, c: { x: -100, y: 1000 } });
    expect(drawn.places.get("a")).toEqual({ x: 12, y: 12 });
    expect(drawn.width).toBe(12 + 300 + 220 + 12);
    expect(drawn.height).toBe(12 + 100 + 64 + 12);
  });

  it("draws a line for each need that exists, straight where both lie level", () => {
    const { lines } = drawGraph(nodes, { a: { x: 0, y: 0 }, b: { x: 300, y: 0 }, c: { x: 300, y: 100 } });
    expect(lines.map(({ from, to }) => `${from}>${to}`)).toEqual(["a>b", "a>c"]);
    expect(lines[0]?.path).toBe("M232 44H312");
    expect(lines[1]?.path).toContain("V");
  });

  it("an empty pipeline takes no room", () => {
    expect(drawGraph([], {})).toMatchObject({ width: 12, height: 12, lines: [] });
  });
});
