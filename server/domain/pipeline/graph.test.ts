import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ancestorLookup,
  ancestorsOf,
  cycleText,
  cycleThrough,
  descendantsOf,
  findCycle,
  type GraphNode,
  isSequence,
  topologicalOrder,
} from "./graph";

const graph = (text: string): GraphNode[] =>
  text.split(";").map((part) => {
    const [key = "", needs = ""] = part.trim().split("<");
    return {
      key: key.trim(),
      needs: needs
        .split(",")
        .map((need) => need.trim())
        .filter((need) => need !== ""),
    };
  });

/** Any graph, with cycles or without. */
const anyGraph = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 30 }).map((edges) =>
    Array.from({ length: size }, (_, index) => ({
      key: `n${index}`,
      needs: [...new Set(edges.filter(([, to]) => to === index).map(([from]) => `n${from}`))],
    })),
  ),
);

describe("topologicalOrder", () => {
  test("puts every node after its needs and keeps definition order among equals", () => {
    expect(topologicalOrder(graph("d < b, c; a; c < a; b < a"))).toEqual(["a", "c", "b", "d"]);
  });

  test("exists exactly when there is no cycle, and respects every need (PIP-3)", () => {
    fc.assert(
      fc.property(anyGraph, (nodes) => {
        const order = topologicalOrder(nodes);
        expect(order === null).toBe(findCycle(nodes) !== null);
        if (order === null) return;
        const at = new Map(order.map((key, index) => [key, index]));
        for (const { key, needs } of nodes) for (const need of needs) expect(at.get(need)).toBeLessThan(at.get(key) ?? -1);
      }),
    );
  });
});

describe("findCycle", () => {
  test("names the nodes in the order in which they wait for each other (PIP-3)", () => {
    expect(cycleText(findCycle(graph("s; a < s, c; b < a; c < b")) ?? [])).toBe("a → b → c → a");
    expect(findCycle(graph("a < a"))).toEqual(["a", "a"]);
    expect(findCycle(graph("a; b < a; c < a, b"))).toBeNull();
  });

  test("every step of a cycle that it names is a real need (PIP-3)", () => {
    fc.assert(
      fc.property(anyGraph, (nodes) => {
        const cycle = findCycle(nodes);
        if (cycle === null) return;
        expect(cycle.at(0)).toBe(cycle.at(-1));
        for (const [index, key] of cycle.entries()) {
          const next = cycle[index + 1];
          if (next !== undefined) expect(nodes.find((node) => node.key === next)?.needs).toContain(key);
        }
      }),
    );
  });

  test("a chain of 20,000 nodes needs no deep stack", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => ({ key: `n${index}`, needs: index === 0 ? ["n19999"] : [`n${index - 1}`] }));
    expect(findCycle(chain)?.length).toBe(20_001);
  });
});

describe("cycleThrough", () => {
  test("says which cycle a new edge would close, and agrees with findCycle (PIP-3)", () => {
    expect(cycleThrough(graph("a; b < a; c < b"), "c", "a")).toEqual(["c", "a", "b", "c"]);
    expect(cycleThrough(graph("a; b < a"), "a", "b")).toBeNull();
    fc.assert(
      fc.property(anyGraph, fc.nat(11), fc.nat(11), (nodes, from, to) => {
        const [source, target] = [nodes[from % nodes.length], nodes[to % nodes.length]];
        if (source === undefined || target === undefined || findCycle(nodes) !== null) return;
        const joined = nodes.map((node) => (node === target ? { ...node, needs: [...node.needs, source.key] } : node));
        expect(cycleThrough(nodes, source.key, target.key) !== null).toBe(findCycle(joined) !== null);
      }),
    );
  });
});

describe("ancestors and descendants", () => {
  test("agree with each other for every pair", () => {
    fc.assert(
      fc.property(anyGraph, (nodes) => {
        const precedes = ancestorLookup(nodes);
        expect(precedes === null).toBe(findCycle(nodes) !== null);
        for (const one of nodes) {
          const ancestors = ancestorsOf(nodes, one.key);
          for (const other of nodes) {
            expect(descendantsOf(nodes, other.key).has(one.key)).toBe(ancestors.has(other.key));
            if (precedes !== null) expect(precedes(other.key, one.key)).toBe(ancestors.has(other.key));
          }
        }
      }),
    );
  });
});

describe("isSequence", () => {
  test.each([
    ["a; b < a; c < b", true],
    ["c < b; b < a; a", true],
    ["a", true],
    ["a; b", false],
    ["a; b < a; c < a", false],
    ["a; b < a; c < a, b", false],
    ["a < b; b < a", false],
  ])("%s → %s (PIP-3)", (text, expected) => {
    expect(isSequence(graph(text))).toBe(expected);
  });

  test("an empty pipeline is a sequence with nothing in it yet (PIP-3)", () => {
    expect(isSequence([])).toBe(true);
  });
});
