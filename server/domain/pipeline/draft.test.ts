import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyDefinition } from "./defaults";
import { parseDraft } from "./draft";

const draft = (spec: object, metadata: object = {}) => ({
  apiVersion: "apollo11/v1",
  kind: "Pipeline",
  metadata: { name: "orders", title: "Orders", owner: "data", ...metadata },
  spec: { domain: "ORDER", ...spec },
});

describe("parseDraft", () => {
  test("keeps an author's unfinished work: empty address, half a cron, empty title (PIP-4)", () => {
    const nodes = [
      { key: "pull", type: "http", with: { url: "" } },
      { key: "", type: "command", with: { argv: [] }, needs: ["gone"] },
    ];
    const parsed = parseDraft(draft({ nodes, schedules: [{ name: "", cron: "0 2", timezone: "" }] }, { title: "" }));
    expect(parsed.ok && parsed.definition.spec).toMatchObject({
      params: {},
      nodes: [
        { key: "pull", needs: [], retry: { policy: "default" } },
        { key: "", needs: ["gone"], timeout: "10m" },
      ],
      schedules: [{ cron: "0 2", overlap: "queue" }],
    });
  });

  test.each([
    ["a node without a key", { nodes: [{ type: "wait", with: { for: "1s" } }] }, "required"],
    ["needs that are no list", { nodes: [{ key: "a", type: "wait", with: { for: "1s" }, needs: "b" }] }, "invalid_type"],
    ["a field that nobody knows", { nodes: [], extra: 1 }, "unknown_field"],
    ["a NUL byte", { nodes: [{ key: "a\u0000", type: "wait", with: { for: "1s" } }] }, "nul_byte"],
    ["an integer that would be rounded", { nodes: [{ key: "a", type: "handler", with: { task: "a", input: 2 ** 60 } }] }, "unsafe_integer"],
    ["more than a megabyte", { nodes: [{ key: "a", type: "handler", with: { task: "a", input: "x".repeat(1_000_001) } }] }, "too_large"],
  ])("refuses %s, which no editor could show again (PIP-4)", (_, spec, code) => {
    const parsed = parseDraft(draft(spec));
    expect(parsed.ok ? [] : parsed.issues).toMatchObject([{ code }]);
  });

  test("anything at all gets issues or a draft and never throws (SEC-3)", () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.anything(),
        (any, other) => parseDraft(any).ok !== null && parseDraft(draft({ nodes: any, params: other })).ok !== null,
      ),
    );
  });

  test("a new pipeline is a draft from the start (PIP-2)", () => {
    expect(parseDraft(emptyDefinition({ name: "a", title: "A", owner: "me", domain: "A" })).ok).toBe(true);
  });
});
