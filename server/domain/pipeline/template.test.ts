import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderNodeWith, renderTemplate, type SecretMode, type TemplateScope } from "./render-template";
import { parseTemplate, referencesOf, renameInTemplate, secretsIn, templatesIn } from "./template";
import { referenceText } from "./template-expression";

const scope: TemplateScope = {
  params: { day: "2026-03-01", n: 3, rate: 1.5, none: null, list: [1, 2, 3], filter: { a: [{ b: "x" }] } },
  nodes: { pull: { output: { file: "a.csv", rows: [{ id: 1 }, { id: 2 }], big: 7615917337495251231n } }, gone: { output: null } },
  run: { id: "r-1", scheduledAt: "2026-03-01T02:00:00Z", trigger: "schedule" },
};
const REFERENCE: SecretMode = { mode: "reference" };
const VALUE: SecretMode = { mode: "value", valueOf: (name) => (name === "token" ? "s3cret" : undefined) };

function render(value: unknown, secrets: SecretMode = REFERENCE) {
  const rendered = renderTemplate(value, scope, secrets);
  return rendered.kind === "rendered"
    ? rendered.value
    : rendered.problems.map(({ code, reference }) => (reference === undefined ? code : `${code} ${reference}`));
}

function namesIn(text: string) {
  const parsed = parseTemplate(text);
  return parsed.ok ? referencesOf(parsed.template).map(referenceText) : parsed.problem.code;
}

describe("parseTemplate", () => {
  test.each([
    ["{{ params.day }}", ["params.day"]],
    ["a {{ nodes.pull.output.rows[0].id }} b {{run.id}}", ["nodes.pull.output.rows", "run.id"]],
    ['{{ nodes["pull"].output["file name"] }}', ['nodes.pull.output["file name"]']],
    ['{{ params.?day.orValue("x") }}', ["params.day"]],
    ["{{ has(params.day) && params.n > 2 ? params.a : nodes.b.output }}", ["params.day", "params.n", "params.a", "nodes.b.output"]],
    ["{{ nodes.pull.output.rows.map(r, r.id) }}", ["nodes.pull.output.rows"]],
    ["{{ params.list[params.n] }}", ["params.n", "params.list"]],
    ['{{ {"a": {"b": params.n}} }}', ["params.n"]],
    ['{{ "}}" + params.day }}', ["params.day"]],
    ["{{ secrets.token }}", ["secrets.token"]],
    ["plain } text { }", []],
    ["", []],
  ])("%s names %j (PIP-6)", (text, expected) => {
    expect(namesIn(text)).toEqual(expected);
  });

  test.each([
    ["{{ params.day", "template_unclosed"],
    ["{{ }}", "template_syntax"],
    ["{{ params. }}", "template_syntax"],
    ["{{ 1 + }}", "template_syntax"],
    ["{{ process.env }}", "not_in_scope"],
    ["{{ globalThis }}", "not_in_scope"],
    ["{{ params[params.day] }}", "dynamic_reference"],
    ["{{ nodes.pull.state }}", "not_in_scope"],
    ["{{ run.secret }}", "not_in_scope"],
    ["{{ 'Bearer ' + secrets.token }}", "secret_alone"],
    ["{{ size(secrets.token) }}", "secret_alone"],
    ['{{ params.day.matches("(a+)+$") }}', "unknown_function"],
    ["{{ cel.bind(x, params.day, x + x) }}", "unknown_function"],
    ["{{ params.list.map(a, params.list.map(b, b)) }}", "too_complex"],
    ["{{ params.list.map(a, a).map(b, b) }}", "too_complex"],
    ["{{ params.list.filter(params, true) }}", "not_in_scope"],
    [`{{ ${"1 + ".repeat(400)} 1 }}`, "too_complex"],
    [`{{ ${"(".repeat(60)}1${")".repeat(60)} }}`, "template_syntax"],
  ])("%s is refused as %s (PIP-6)", (text, code) => {
    expect(namesIn(text)).toBe(code);
  });

  test("a problem says where in the text it stands (PIP-6)", () => {
    const parsed = parseTemplate("day={{ params.day }} x={{ params.day + }}");
    expect(parsed.ok ? null : parsed.problem.position).toBe(39);
  });

  test("random text never throws (SEC-3)", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 60, unit: "binary" }),
        fc.constantFrom("", "params.", "nodes[", '"', "-", "x.map(y,"),
        (text, head) => {
          renderTemplate(`a {{ ${head}${text} }} b`, scope, REFERENCE);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("renderTemplate", () => {
  test.each([
    ["{{ params.n }}", 3],
    ["n={{ params.n }}", "n=3"],
    ["{{ params.rate }}", 1.5],
    ["{{ params.none }}", null],
    ["[{{ params.none }}]", "[]"],
    ["{{ params.filter }}", { a: [{ b: "x" }] }],
    ["f={{ params.filter }}", 'f={"a":[{"b":"x"}]}'],
    ["{{ nodes.pull.output.rows.map(r, r.id) }}", [1, 2]],
    ["{{ size(nodes.pull.output.rows) }}", 2],
    ["{{ params.n + 1 }}", 4],
    ["{{ params.n * 2 - 0.5 }}", 5.5],
    ["{{ 7 / 2 }}", 3],
    ["{{ params.n / 2 }}", 1.5],
    ['{{ params.n > 2 ? "many" : "few" }}', "many"],
    ['{{ nodes.gone.?output.?file.orValue("none") }}', "none"],
    ["{{ has(nodes.pull.output.file) }}", true],
    ["{{ timestamp(run.scheduledAt) - duration('24h') }}", "2026-02-28T02:00:00.000Z"],
    ["{{ string(timestamp(run.scheduledAt)) }}", "2026-03-01T02:00:00.000Z"],
    ['{{ "{{" }}', "{{"],
    ["no template", "no template"],
  ])("%s → %j (PIP-6)", (text, expected) => {
    expect(render(text)).toEqual(expected);
  });

  test("renders every text of a tree and leaves names and other values alone (PIP-6)", () => {
    expect(render({ "{{ k }}": ["{{ params.n }}", 1, true, null, { d: "{{ params.day }}!" }] })).toEqual({
      "{{ k }}": [3, 1, true, null, { d: "2026-03-01!" }],
    });
  });

  test("an integer beyond 2^53 keeps its digits as text and is refused as a number (B80)", () => {
    expect(render("id={{ nodes.pull.output.big }}")).toBe("id=7615917337495251231");
    expect(render("{{ string(nodes.pull.output.big) }}")).toBe("7615917337495251231");
    expect(render("{{ nodes.pull.output.big }}")).toEqual(["unsafe_integer"]);
  });

  test.each([
    ["{{ nodes.pull.output.path }}", "missing_reference nodes.pull.output.path"],
    ["{{ nodes.gone.output.file }}", "missing_reference nodes.gone.output.file"],
    ["{{ nodes.other.output }}", "missing_reference nodes.other.output"],
    ["{{ params.day + params.month }}", "missing_reference params.month"],
    ["{{ params.list[9] }}", "missing_reference params.list[9]"],
    ["{{ params.constructor }}", "missing_reference params.constructor"],
    ["{{ params.__proto__ }}", "missing_reference params.__proto__"],
    ["{{ params.?day }}", "optional_result"],
    ["{{ params.n / 0 }}", "not_finite"],
    ["{{ params.day - 1 }}", "template_failed"],
  ])("%s fails as %s, naming the reference (PIP-6)", (text, expected) => {
    expect(render(text)).toEqual([expected]);
  });

  test("a secret stays a reference in snapshots and becomes its value in the worker's last step alone (SEC-1)", () => {
    const tree = { whole: "{{ secrets.token }}", text: "Bearer {{ secrets.token }}" };
    expect(render(tree)).toEqual({ whole: { $secret: "token" }, text: "Bearer ***" });
    expect(render(tree, VALUE)).toEqual({ whole: "s3cret", text: "Bearer s3cret" });
    expect(render("{{ secrets.gone }}", VALUE)).toEqual(["missing_secret secrets.gone"]);
    expect(secretsIn(tree)).toEqual(["token"]);
  });

  test("a loop cannot multiply a large value into an endless one (PIP-6)", () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index }));
    const large: TemplateScope = { ...scope, nodes: { pull: { output: { rows, text: "x".repeat(1_000_000) } } } };
    const text = `{{ ${Array.from({ length: 40 }, () => "nodes.pull.output.text").join("+")} }}`;
    const rendered = renderTemplate(text, large, REFERENCE);
    expect(rendered.kind === "unresolved" && rendered.problems[0]?.code).toBe("input_too_large");
    const ids = renderTemplate("{{ nodes.pull.output.rows.map(r, r.id) }}", large, REFERENCE);
    expect(ids.kind === "rendered" && Array.isArray(ids.value) && ids.value.length).toBe(20_000);
  });

  test("a text without braces comes back as it is, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }).filter((text) => !text.includes("{{")),
        (text) => {
          expect(render(text)).toBe(text);
        },
      ),
    );
  });

  test("any JSON parameter passes through a whole-value template unchanged (PIP-6)", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        const rendered = renderTemplate("{{ params.v }}", { ...scope, params: { v: json } }, REFERENCE);
        expect(rendered).toEqual({ kind: "rendered", value: json });
      }),
    );
  });
});

describe("renderNodeWith", () => {
  test("addresses, arguments and variables become text; a body and a handler's input keep their types (PIP-6)", () => {
    const command = { type: "command", with: { argv: ["run", "{{ params.n }}"], env: { N: "{{ params.n }}" } } };
    expect(renderNodeWith(command, scope, REFERENCE)).toEqual({ kind: "rendered", value: { argv: ["run", "3"], env: { N: "3" } } });
    const http = { type: "http", with: { url: "http://a/{{ params.n }}", body: { n: "{{ params.n }}" } } };
    expect(renderNodeWith(http, scope, REFERENCE)).toEqual({ kind: "rendered", value: { url: "http://a/3", body: { n: 3 } } });
  });

  test("a problem carries its place in the node (PIP-6)", () => {
    const rendered = renderNodeWith({ type: "handler", with: { task: "a", input: { x: ["{{ params.gone }}"] } } }, scope, REFERENCE);
    expect(rendered.kind === "unresolved" && rendered.problems[0]?.path).toEqual(["with", "input", "x", 0]);
  });
});

test("templatesIn finds every template with its path", () => {
  expect(templatesIn({ a: ["x", "{{ 1 }}"], b: { c: "{{ 2 }}" } })).toEqual([
    { path: ["a", 1], text: "{{ 1 }}" },
    { path: ["b", "c"], text: "{{ 2 }}" },
  ]);
});

describe("renameInTemplate", () => {
  test.each([
    ["a {{ nodes.pull.output.pull }} {{nodes.pull.output}}", "a {{ nodes.fetch.output.pull }} {{nodes.fetch.output}}"],
    ['{{ nodes["pull"].output + nodes . pull.output }}', '{{ nodes["fetch"].output + nodes . fetch.output }}'],
    ['{{ nodes.?pull.?output.orValue("pull") }}', '{{ nodes.?fetch.?output.orValue("pull") }}'],
    [
      "{{ has(nodes.pull.output) ? nodes.pulled.output : params.pull }}",
      "{{ has(nodes.fetch.output) ? nodes.pulled.output : params.pull }}",
    ],
    ["{{ params.list.filter(pull, pull > 1) }}", "{{ params.list.filter(pull, pull > 1) }}"],
    ["nodes.pull.output", "nodes.pull.output"],
    ["{{ nodes.pull. }}", "{{ nodes.pull. }}"],
  ])("%s follows a node's new key (PIP-2)", (text, expected) => {
    expect(renameInTemplate(text, "nodes", "pull", "fetch")).toBe(expected);
  });

  test("a parameter's new name is followed too, and nothing else changes (PIP-8)", () => {
    expect(renameInTemplate("{{ params.day }}{{ nodes.day.output }}", "params", "day", "date")).toBe(
      "{{ params.date }}{{ nodes.day.output }}",
    );
  });
});
