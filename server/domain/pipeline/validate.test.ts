import { describe, expect, test } from "vitest";
import type { PipelineDefinition } from "./definition";
import { parseDefinition } from "./parse-definition";
import { validateDefinition } from "./validate";

type Loose = Record<string, unknown>;

function definition(spec: Loose): PipelineDefinition {
  const parsed = parseDefinition({
    apiVersion: "apollo11/v1",
    kind: "Pipeline",
    metadata: { name: "orders", title: "Orders", owner: "data" },
    spec: { domain: "ORDER", ...spec },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.definition;
}

const node = (key: string, needs: string[] = [], more: Loose = {}) => ({ key, type: "handler", needs, with: { task: "a.b" }, ...more });
const nodes = (...list: Loose[]) => definition({ nodes: list });
const found = (subject: PipelineDefinition) => validateDefinition(subject).map(({ path, code }) => `${path} ${code}`);
const reads = (text: string) => ({ with: { task: "a.b", input: { v: text } } });

describe("the graph", () => {
  test("a sound pipeline has no issues", () => {
    expect(found(nodes(node("a"), node("b", ["a"], reads("{{ nodes.a.output.x }}")), node("c", ["a", "b"])))).toEqual([]);
  });

  test("a cycle is refused with its nodes named in order (PIP-3)", () => {
    const issues = validateDefinition(nodes(node("pull", ["load"]), node("clean", ["pull"]), node("load", ["clean"])));
    expect(issues).toMatchObject([{ path: "spec.nodes[1].needs", code: "cycle", values: { cycle: "pull → clean → load → pull" } }]);
  });

  test("unknown, own and repeated needs are found where they stand (PIP-6)", () => {
    expect(found(nodes(node("a"), node("b", ["a", "x", "a", "b"])))).toEqual([
      "spec.nodes[1].needs[1] unknown_need",
      "spec.nodes[1].needs[2] duplicate_need",
      "spec.nodes[1].needs[3] self_need",
    ]);
  });

  test("two nodes with one key are refused, and so is a pipeline without nodes (PIP-6)", () => {
    expect(found(nodes(node("a"), node("a")))).toEqual(["spec.nodes[1].key duplicate_key"]);
    expect(found(definition({}))).toEqual(["spec.nodes no_nodes"]);
  });

  test("fallbacks that lead back to their node are refused; a chain of them that ends is fine (PIP-6, EXC-5)", () => {
    expect(found(nodes(node("a", [], { fallback: "b" }), node("b", [], { fallback: "c" }), node("c", [], { fallback: "a" })))).toEqual([
      "spec.nodes[0].fallback fallback_cycle",
      "spec.nodes[1].fallback fallback_cycle",
      "spec.nodes[2].fallback fallback_cycle",
    ]);
    expect(found(nodes(node("x", [], { fallback: "a" }), node("a", [], { fallback: "b" }), node("b", [], { fallback: "a" })))).toEqual([
      "spec.nodes[1].fallback fallback_cycle",
      "spec.nodes[2].fallback fallback_cycle",
    ]);
    expect(found(nodes(node("a", [], { fallback: "b" }), node("b", [], { fallback: "c" }), node("c")))).toEqual([]);
  });

  test("a fallback and a compensation have to be nodes, and others than the node itself (PIP-6)", () => {
    expect(found(nodes(node("a", [], { fallback: "x", compensate: "a" })))).toEqual([
      "spec.nodes[0].fallback unknown_node",
      "spec.nodes[0].compensate self_reference",
    ]);
  });

  test("a thousand nodes that each need all before them are judged in one pass", () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const list = keys.map((key, index) =>
      node(key, keys.slice(Math.max(0, index - 150), index), index > 0 ? reads("{{ nodes.n0.output }}") : {}),
    );
    expect(found(nodes(...list))).toEqual([]);
  });
});

describe("templates", () => {
  test("a reference to no node and to no parameter is an error at publish time (PIP-6)", () => {
    expect(found(nodes(node("a", [], reads("{{ params.gone }} {{ nodes.gone.output }}"))))).toEqual([
      "spec.nodes[0].with.input.v missing_reference",
      "spec.nodes[0].with.input.v missing_reference",
    ]);
  });

  test("a reference to a node that does not come before is an error, through any number of steps it is none (PIP-6)", () => {
    const list = [
      node("a"),
      node("b", ["a"]),
      node("c", ["b"], reads("{{ nodes.a.output }}")),
      node("d", ["a"], reads("{{ nodes.c.output }}")),
    ];
    expect(found(nodes(...list))).toEqual(["spec.nodes[3].with.input.v not_a_predecessor"]);
  });

  test("a node that undoes another may name it and what came before it (RUN-10)", () => {
    const undo = node("undo", [], reads("{{ nodes.load.output }} {{ nodes.pull.output }}"));
    expect(found(nodes(node("pull"), node("load", ["pull"], { compensate: "undo" }), undo))).toEqual([]);
    const stand = node("stand", [], reads("{{ nodes.load.output }}"));
    expect(found(nodes(node("pull"), node("load", ["pull"], { fallback: "stand" }), stand))).toEqual([
      "spec.nodes[2].with.input.v not_a_predecessor",
    ]);
  });

  test("a syntax error says at which character (PIP-6)", () => {
    expect(validateDefinition(nodes(node("a", [], reads("x {{ params. }}"))))).toMatchObject([
      { path: "spec.nodes[0].with.input.v", code: "template_syntax", values: { position: 14 } },
    ]);
  });

  test("an http address has to be whole, unless a template begins it", () => {
    const http = (url: string) => ({ key: "a", type: "http", with: { url } });
    expect(found(nodes(http("orders.internal/x")))).toEqual(["spec.nodes[0].with.url not_a_url"]);
    expect(found(definition({ params: { base: { type: "string" } }, nodes: [http("{{ params.base }}/x")] }))).toEqual([]);
  });

  test("a wait needs an instant with its zone, or a template (SCH-1)", () => {
    const wait = (until: string) => ({ key: "a", type: "wait", with: { until } });
    expect(found(nodes(wait("2026-03-01 06:00")))).toEqual(["spec.nodes[0].with.until not_an_instant"]);
    expect(found(nodes(wait("2026-03-01T06:00:00+08:00")))).toEqual([]);
  });
});

describe("times, parameters and schedules", () => {
  test("a total deadline below one attempt's timeout is refused (B73)", () => {
    expect(found(nodes(node("a", [], { timeout: "10m", deadline: "5m" })))).toEqual(["spec.nodes[0].deadline deadline_below_timeout"]);
  });

  test("a default has to be of its parameter's type (PIP-8)", () => {
    const params = {
      day: { type: "date", default: "2026-02-30" },
      n: { type: "integer", default: 1.5 },
      e: { type: "enum", values: ["a"], default: "b" },
      b: { type: "boolean", min: 1 },
    };
    expect(found(definition({ params, nodes: [node("a")] }))).toEqual([
      "spec.params.day.default not_a_date",
      "spec.params.n.default invalid_type",
      "spec.params.e.default not_a_choice",
      "spec.params.b.min bounds_unused",
    ]);
  });

  test("business keys name parameters, each once (PIP-9)", () => {
    const params = { order_id: { type: "string" } };
    expect(found(definition({ params, businessKeys: ["order_id", "user_id", "order_id"], nodes: [node("a")] }))).toEqual([
      "spec.businessKeys[1] unknown_param",
      "spec.businessKeys[2] duplicate_key",
    ]);
  });

  test("a schedule has to give every parameter that has no default (PIP-8)", () => {
    const schedule = { name: "nightly", cron: "0 2 * * *", timezone: "Asia/Shanghai" };
    const params = { day: { type: "date" } };
    const nightly = (given: Loose) => found(definition({ params, schedules: [{ ...schedule, ...given }], nodes: [node("a")] }));
    expect(nightly({})).toEqual(["spec.schedules[0].params.day required"]);
    expect(nightly({ params: { day: "2026-03-01", x: 1 } })).toEqual(["spec.schedules[0].params.x unknown_param"]);
    expect(nightly({ params: { day: "2026-03-01" } })).toEqual([]);
  });

  test("an expression that can never fire and a zone that does not exist are refused where they stand (SCH-1)", () => {
    const schedules = [{ name: "never", cron: "0 0 31 2 *", timezone: "Mars/Base" }];
    expect(validateDefinition(definition({ schedules, nodes: [node("a")] })).map(({ path }) => path)).toEqual([
      "spec.schedules[0].cron",
      "spec.schedules[0].timezone",
    ]);
  });
});

describe("the check of a node", () => {
  const checked = (check: Loose) => nodes(node("a"), node("b", ["a"], { check }));

  test("may name what the node itself may name, and nothing else (IDM-5, PIP-3)", () => {
    expect(found(checked({ url: "http://orders.internal/{{ nodes.a.output.id }}" }))).toEqual([]);
    expect(found(checked({ url: "http://orders.internal/{{ nodes.c.output.id }}" }))).toEqual([
      "spec.nodes[1].check.url missing_reference",
    ]);
  });

  test("is refused where a status says both that the effect is there and that it is missing, and on a wait (IDM-5)", () => {
    const issuesOf = (more: Loose) => {
      const spec = { domain: "ORDER", nodes: [{ key: "a", type: "handler", with: { task: "a.b" }, ...more }] };
      const metadata = { name: "orders", title: "Orders", owner: "data" };
      const parsed = parseDefinition({ apiVersion: "apollo11/v1", kind: "Pipeline", metadata, spec });
      return parsed.ok ? [] : parsed.issues.map(({ path }) => path);
    };
    expect(issuesOf({ check: { url: "http://x", found: [200, 404] } })).toEqual(["spec.nodes[0].check.missing"]);
    expect(issuesOf({ check: { url: "http://x" } })).toEqual([]);
    expect(issuesOf({ type: "wait", with: { for: "1s" }, check: { url: "http://x" } })).not.toEqual([]);
  });
});
