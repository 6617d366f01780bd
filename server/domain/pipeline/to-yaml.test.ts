import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDefinition, parseDefinitionText } from "./parse-definition";
import { toYaml } from "./to-yaml";

const text = (max: number) =>
  fc.string({ maxLength: max, unit: "grapheme" }).map((value) => value.replace(/[\u0000-\u001f\u007f\ud800-\udfff]/gu, ""));
const awkward = fc.constantFrom(
  "yes",
  "null",
  "~",
  "1e3",
  "010",
  "2026-01-01",
  "- a",
  "a: b",
  "#c",
  "{{ params.n }}",
  " x ",
  "",
  "'",
  '"',
  "\t",
  "multi\nline\n",
  "|",
  "<<",
  "=",
  "0x1F",
);
const words = (max: number) => fc.oneof(text(max), awkward);
const title = words(40).filter((value) => value.length > 0);
const duration = fc.constantFrom("2500ms", "30s", "10m", "1h30m", "2d");
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => {
  const clean = JSON.stringify(value, (key, child: unknown) =>
    key === "__proto__" || (typeof child === "number" && !Number.isSafeInteger(child) && Number.isInteger(child)) ? 0 : child,
  );
  return JSON.parse(
    clean
      .replaceAll("__proto__", "proto")
      .replaceAll("\\u0000", "")
      .replace(/\\ud[89a-f]../gi, ""),
  ) as unknown;
});
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const kinds = fc.oneof(
  fc.record({
    type: fc.constant("http"),
    with: fc.record({
      url: title,
      method: fc.constantFrom("GET", "POST"),
      headers: maybe(fc.dictionary(text(20), words(20))),
      body: maybe(json),
    }),
  }),
  fc.record({
    type: fc.constant("command"),
    with: fc.record({
      argv: fc.array(words(30), { minLength: 1, maxLength: 4 }),
      env: maybe(fc.dictionary(fc.constantFrom("A", "B_C"), words(20))),
      stdin: maybe(words(50)),
    }),
  }),
  fc.record({ type: fc.constant("handler"), with: fc.record({ task: fc.constantFrom("a", "warehouse.load"), input: maybe(json) }) }),
  fc.record({ type: fc.constant("wait"), with: fc.oneof(fc.record({ for: duration }), fc.record({ until: title })) }),
);
const retry = fc.oneof(
  fc.record({ policy: fc.constantFrom("default", "none") }),
  fc.record({
    retries: fc.nat(20),
    delays: fc.array(duration, { minLength: 1, maxLength: 3 }),
    jitter: fc.constantFrom([0.3, 0.7], [0, 1]),
  }),
);
const settings = fc.record(
  {
    title: words(20),
    join: fc.constantFrom("all_success", "all_done"),
    group: fc.constantFrom("default", "warehouse"),
    retry,
    timeout: duration,
    deadline: duration,
    idempotent: fc.boolean(),
    check: fc.record({ url: words(20), found: fc.constantFrom([200], [200, 204]) }, { requiredKeys: ["url"] }),
    priority: fc.integer({ min: -100, max: 100 }),
    pool: fc.constant("p"),
    reads: fc.constantFrom([], ["table:orders"]),
    needs: fc.constantFrom([], ["a"], ["a", "b"]),
  },
  { requiredKeys: [] },
);
const node = fc.tuple(fc.constantFrom("a", "b", "load_later"), kinds, settings).map(([key, kind, more]) => ({ key, ...kind, ...more }));
const schedule = fc.record({
  name: fc.constantFrom("nightly", "noon"),
  cron: title,
  timezone: title,
  overlap: fc.constantFrom("skip", "queue"),
  enabled: fc.boolean(),
  params: maybe(fc.record({ n: json })),
});

const definition = fc
  .record({
    apiVersion: fc.constant("apollo11/v1"),
    kind: fc.constant("Pipeline"),
    metadata: fc.record({ name: fc.constant("a"), title, owner: title, labels: fc.dictionary(text(10), words(10)) }),
    spec: fc.record({
      domain: fc.constant("ORDER"),
      concurrency: maybe(fc.integer({ min: 1, max: 9 })),
      onFailure: fc.constantFrom("pause", "fail"),
      params: fc.record({ n: fc.record({ type: fc.constant("object"), default: json }) }),
      schedules: fc.array(schedule, { maxLength: 2 }),
      nodes: fc.array(node, { maxLength: 5 }),
    }),
  })
  .map((input) => parseDefinition(input))
  .filter((parsed) => parsed.ok);

describe("toYaml", () => {
  test("definition → YAML → definition is the same definition, whatever the texts in it (PIP-7)", () => {
    fc.assert(
      fc.property(definition, (parsed) => {
        if (!parsed.ok) return;
        const back = parseDefinitionText(toYaml(parsed.definition));
        expect(back).toEqual(parsed);
      }),
      { numRuns: 200 },
    );
  });

  test("leaves out what equals the default, and says the rest in the order in which people read (PIP-7)", () => {
    const parsed = parseDefinition({
      apiVersion: "apollo11/v1",
      kind: "Pipeline",
      metadata: { owner: "me", name: "a", title: "A" },
      spec: {
        domain: "ORDER",
        nodes: [
          { key: "pull", type: "http", with: { url: "http://a.b" }, timeout: "10m" },
          { key: "load", type: "handler", needs: ["pull"], with: { task: "x", input: { f: "{{ nodes.pull.output.f }}" } } },
        ],
        schedules: [{ name: "nightly", cron: "0 2 * * *", timezone: "UTC", misfire: "latest" }],
      },
    });
    expect(parsed.ok && toYaml(parsed.definition)).toBe(
      [
        "apiVersion: apollo11/v1",
        "kind: Pipeline",
        "metadata:",
        "  name: a",
        "  title: A",
        "  owner: me",
        "spec:",
        "  domain: ORDER",
        "  schedules:",
        "    - name: nightly",
        "      cron: 0 2 * * *",
        "      timezone: UTC",
        "  nodes:",
        "    - key: pull",
        "      type: http",
        "      with:",
        "        method: GET",
        "        url: http://a.b",
        "    - key: load",
        "      type: handler",
        "      needs:",
        "        - pull",
        "      with:",
        "        task: x",
        "        input:",
        '          f: "{{ nodes.pull.output.f }}"',
        "",
      ].join("\n"),
    );
  });
});
