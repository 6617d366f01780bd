import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDefinition, parseDefinitionText } from "./parse-definition";

const minimal = (changes: Record<string, unknown> = {}, node: Record<string, unknown> = {}) => ({
  apiVersion: "apollo11/v1",
  kind: "Pipeline",
  metadata: { name: "orders-daily", title: "Daily orders", owner: "data-team" },
  spec: { domain: "ORDER", nodes: [{ key: "pull", type: "http", with: { url: "http://orders.internal/export" }, ...node }] },
  ...changes,
});

function issuesOf(input: unknown) {
  const parsed = parseDefinition(input);
  return parsed.ok ? [] : parsed.issues;
}

function textIssues(text: string) {
  const parsed = parseDefinitionText(text);
  return parsed.ok ? [] : parsed.issues;
}

const YAML_HEAD =
  'apiVersion: apollo11/v1\nkind: Pipeline\nmetadata: { name: a, title: "订单 🚀", owner: me }\nspec:\n  domain: ORDER\n  nodes:\n    - key: pull\n      type: handler\n';

describe("parseDefinition", () => {
  test("fills in every default that an author may leave out (PIP-6)", () => {
    const parsed = parseDefinition(minimal());
    expect(parsed.ok && parsed.definition.spec.nodes[0]).toMatchObject({
      join: "all_success",
      group: "default",
      retry: { policy: "default" },
      timeout: "10m",
      deadline: "1h",
      idempotent: false,
    });
  });

  test("accepts emoji and Chinese where people read, and refuses them where machines do (SEC-3)", () => {
    expect(issuesOf(minimal({ metadata: { name: "a", title: "每日订单 🚀", owner: "数据组" } }))).toEqual([]);
    expect(issuesOf(minimal({ metadata: { name: "订单", title: "x", owner: "y" } }))).toMatchObject([
      { path: "metadata.name", code: "pipeline_name" },
    ]);
  });

  test("names an unknown field by its path, at every level (PIP-7)", () => {
    const input = minimal({}, { retires: 3, with: { url: "http://a.b", timeOut: 1 } });
    expect(issuesOf(input).map(({ path, code }) => [path, code])).toEqual([
      ["spec.nodes[0].with.timeOut", "unknown_field"],
      ["spec.nodes[0].retires", "unknown_field"],
    ]);
  });

  test("names the node types when one is misspelt or missing (PIP-5)", () => {
    expect(issuesOf(minimal({}, { type: "htpp" }))).toEqual([
      {
        path: "spec.nodes[0].type",
        code: "not_a_choice",
        message: "use one of: http, command, handler, wait",
        values: { choices: "http, command, handler, wait" },
      },
    ]);
    expect(issuesOf(minimal({}, { type: undefined }))).toMatchObject([{ path: "spec.nodes[0].type", code: "required" }]);
  });

  test("judges a retry policy by the branch that the author meant", () => {
    expect(issuesOf(minimal({}, { retry: { retries: 99, delays: ["1s"] } }))).toMatchObject([
      { path: "spec.nodes[0].retry.retries", code: "too_big", values: { max: 20 } },
    ]);
    expect(issuesOf(minimal({}, { retry: { policy: "often" } }))).toMatchObject([
      { path: "spec.nodes[0].retry.policy", code: "not_a_choice" },
    ]);
  });

  test("a name of 1 MB is refused with a message that is short itself (SEC-3)", () => {
    const huge = "x".repeat(1_000_000);
    for (const input of [
      minimal({ metadata: { name: huge, title: "t", owner: "o" } }),
      minimal({ [huge]: 1 }),
      minimal({}, { with: { url: "http://a.b", headers: { [huge]: "1" } } }),
    ]) {
      const issues = issuesOf(input);
      expect(issues.length).toBeGreaterThan(0);
      expect(JSON.stringify(issues).length).toBeLessThan(1_000);
    }
  });

  test("NUL bytes and broken Unicode are refused wherever they hide (SEC-3)", () => {
    expect(issuesOf(minimal({}, { title: "a\u0000b" }))).toMatchObject([{ path: "spec.nodes[0].title", code: "nul_byte" }]);
    const body = { deep: [{ "k\u0000": 1 }, "\ud800"] };
    expect(issuesOf(minimal({}, { with: { url: "http://a.b", body } })).map(({ code }) => code)).toEqual(["nul_byte", "broken_text"]);
  });

  test("a deep tree is refused, not followed (SEC-3)", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(issuesOf(minimal({}, { with: { url: "http://a.b", body: deep } }))).toMatchObject([{ code: "too_deep" }]);
  });

  test("an integer beyond 2^53 is refused rather than rounded (B80)", () => {
    expect(issuesOf(minimal({}, { with: { url: "http://a.b", body: { id: 2 ** 60 } } }))).toMatchObject([
      { path: "spec.nodes[0].with.body.id", code: "unsafe_integer" },
    ]);
  });

  test.each([
    null,
    [],
    "text",
    7,
    true,
    undefined,
    { __proto__: null },
    new Date(0),
    { spec: 1 },
    { spec: { nodes: {} } },
    { spec: { nodes: [null, 1, []] } },
  ])("anything at all gets issues and never throws: %j (SEC-3)", (input) => {
    expect(issuesOf(input).length).toBeGreaterThan(0);
  });

  test("random values in place of any field never throw (SEC-3)", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (outer, inner) => {
        parseDefinition(outer);
        parseDefinition(minimal({ spec: { domain: "A", params: outer, schedules: inner, nodes: [inner] } }));
        parseDefinition(minimal({}, { with: outer, needs: inner, retry: inner }));
      }),
      { numRuns: 300 },
    );
  });
});

describe("parseDefinitionText", () => {
  test("reads YAML and JSON into one and the same definition (PIP-7)", () => {
    const yaml = parseDefinitionText(
      `${YAML_HEAD}      with: { task: a.b, input: { rows: "{{ params.n }}" } }\n  params: { n: { type: integer, default: 3 } }\n`,
    );
    expect(yaml.ok).toBe(true);
    if (!yaml.ok) return;
    expect(parseDefinitionText(JSON.stringify(yaml.definition))).toEqual(yaml);
  });

  test.each([
    ["YAML", `${YAML_HEAD}      with: { task: a.b, input: { id: 7615917337495251231 } }\n`],
    [
      "JSON",
      JSON.stringify(minimal({}, { type: "handler", with: { task: "a.b", input: { id: 1 } } })).replace(
        '"id":1',
        '"id":7615917337495251231',
      ),
    ],
  ])("%s keeps the digits of an unsafe integer in its refusal (B80)", (_, text) => {
    expect(textIssues(text)).toMatchObject([
      { path: "spec.nodes[0].with.input.id", code: "unsafe_integer", values: { value: "7615917337495251231" } },
    ]);
  });

  test("a field that stands twice is refused with its line (PIP-7)", () => {
    expect(textIssues("a: 1\nb: 2\na: 3\n")).toMatchObject([{ code: "duplicate_key", values: { line: 3, field: "a" } }]);
    expect(textIssues('{"a":1,\n"a":2}')).toMatchObject([{ code: "duplicate_key", values: { line: 2 } }]);
  });

  test("a template without quotes is named as such, with its line (PIP-6)", () => {
    expect(textIssues("a: 1\nurl: {{ params.day }}\n")).toMatchObject([{ code: "unquoted_template", values: { line: 2 } }]);
  });

  test.each([
    ["bad YAML", "a: [1, 2", "syntax"],
    ["bad JSON", '{"a": [}', "syntax"],
    ["a NUL byte", 'a: "x\u0000"', "nul_byte"],
    ["several documents", "a: 1\n---\nb: 2\n", "syntax"],
    ["a foreign tag", "a: !!js/function x\n", "syntax"],
    ["nothing", "", "not_a_mapping"],
    ["a list", "- 1\n", "not_a_mapping"],
    ["deep flow", "[".repeat(100_000), "too_deep"],
    ["deep blocks", "- ".repeat(100_000), "too_deep"],
    ["deep JSON", `{"a":${"[".repeat(100_000)}`, "too_deep"],
    ["1.2 MB", `a: ${"x".repeat(1_200_000)}`, "too_large"],
  ])("%s is refused in words (SEC-3)", (_, text, code) => {
    expect(textIssues(text)[0]).toMatchObject({ code });
  });

  test("anchors that multiply are refused before they are spread out (SEC-3)", () => {
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]",
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]",
      "d: [*c,*c,*c,*c,*c]",
    ];
    expect(textIssues(bomb.join("\n"))).toMatchObject([{ code: "too_many_aliases" }]);
  });

  test("80,000 fields in one object are judged without quadratic work (SEC-3)", () => {
    const fields = Array.from({ length: 80_000 }, (_, index) => `k${index}: 1`).join("\n");
    expect(textIssues(fields).length).toBeGreaterThan(0);
  });

  test("random text never throws (SEC-3)", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: "binary" }), (text) => {
        parseDefinitionText(text);
        parseDefinitionText(`{${text}`);
        parseDefinitionText(`a: ${text}`);
      }),
      { numRuns: 300 },
    );
  });
});
