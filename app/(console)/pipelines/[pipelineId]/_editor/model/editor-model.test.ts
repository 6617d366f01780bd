import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyDefinition } from "@/server/domain/pipeline/defaults";
import { findCycle, isSequence } from "@/server/domain/pipeline/graph";
import { completeLayout } from "./auto-layout";
import { copyText } from "./clipboard";
import type { Command } from "./command";
import { CARD, type EditorDraft, findNode } from "./editor-draft";
import { jsonText, shownText } from "./field-text";
import { type EditorState, editorReducer, openEditor } from "./history";
import { problemsOf } from "./problems";
import { stepsOf } from "./reorder-step";

const EMPTY: EditorDraft = { definition: emptyDefinition({ name: "orders", title: "Orders", owner: "me", domain: "ORDER" }), layout: {} };

const run = (state: EditorState, ...commands: Command[]) =>
  commands.reduce((at, command) => editorReducer(at, { type: "run", command }), state);
const add = (after: string | null, between = false): Command => ({ kind: "add_node", type: "handler", after, between });
const connect = (from: string, to: string): Command => ({ kind: "connect", from, to });
const needs = (state: EditorState) => Object.fromEntries(state.draft.definition.spec.nodes.map((node) => [node.key, node.needs]));
const three = () => run(openEditor(EMPTY), add(null), add("task"), add("task_2"));

describe("drawing", () => {
  test("adds a node behind the selected one, connected and in a free place (PIP-2)", () => {
    const state = run(three(), add("task"));
    expect(needs(state)).toEqual({ task: [], task_2: ["task"], task_3: ["task_2"], task_4: ["task"] });
    const places = Object.values(state.draft.layout);
    expect(places).toHaveLength(4);
    for (const one of places) {
      const hits = places.filter((other) => Math.abs(one.x - other.x) < CARD.width && Math.abs(one.y - other.y) < CARD.height);
      expect(hits).toEqual([one]);
    }
    expect(state.selection).toEqual(["task_4"]);
  });

  test("adds a step between two others (PIP-3)", () => {
    expect(needs(run(three(), add("task", true)))).toMatchObject({ task_4: ["task"], task_2: ["task_4"] });
    expect(needs(run(three(), add(null, true)))).toMatchObject({ task_4: [], task: ["task_4"] });
  });

  test("a node put into one line leaves the other lines alone (PIP-2)", () => {
    const state = run(three(), add("task"), { kind: "add_node", type: "wait", after: "task", between: true, only: "task_4" });
    expect(needs(state)).toMatchObject({ task_2: ["task"], wait: ["task"], task_4: ["wait"] });
  });

  test("a cycle cannot be drawn, and is named (PIP-3)", () => {
    const before = three();
    const state = run(before, connect("task_3", "task"));
    expect(state.refusal).toEqual({ code: "cycle", cycle: "task_3 → task → task_2 → task_3" });
    expect(state.draft).toBe(before.draft);
    expect(run(before, connect("task", "task")).refusal).toMatchObject({ code: "cycle" });
  });

  test("deleting a step links its neighbours where asked, and leaves a gap where not (PIP-2)", () => {
    expect(needs(run(three(), { kind: "delete_nodes", keys: ["task_2"], heal: true }))).toEqual({ task: [], task_3: ["task"] });
    expect(needs(run(three(), { kind: "delete_nodes", keys: ["task_2"], heal: false }))).toEqual({ task: [], task_3: [] });
  });

  test("a renamed node is followed by needs, templates, helpers and its place (PIP-2)", () => {
    const state = run(
      three(),
      { kind: "edit_node", key: "task_2", path: ["with", "input"], value: { f: "{{ nodes.task.output.f }}" } },
      { kind: "edit_node", key: "task_2", path: ["check"], value: { url: "http://x/{{ nodes.task.output.f }}" } },
      { kind: "edit_node", key: "task_3", path: ["fallback"], value: "task" },
      { kind: "rename_node", key: "task", to: "pull" },
    );
    expect(findNode(state.draft, "task_2")).toMatchObject({ check: { url: "http://x/{{ nodes.pull.output.f }}" } });
    expect(needs(state)).toEqual({ pull: [], task_2: ["pull"], task_3: ["task_2"] });
    expect(findNode(state.draft, "task_2")).toMatchObject({ with: { input: { f: "{{ nodes.pull.output.f }}" } } });
    expect(findNode(state.draft, "task_3")?.fallback).toBe("pull");
    expect(Object.keys(state.draft.layout).sort()).toEqual(["pull", "task_2", "task_3"]);
    expect(run(state, { kind: "rename_node", key: "pull", to: "task_2" }).refusal).toEqual({ code: "key_taken", key: "task_2" });
  });

  test("a renamed parameter is followed by templates, schedules and business keys (PIP-8)", () => {
    const state = run(
      three(),
      { kind: "add_param", param: { type: "string" } },
      { kind: "add_schedule", timezone: "UTC" },
      { kind: "edit_settings", path: ["spec", "schedules", 0, "params"], value: { param: "x" } },
      { kind: "edit_settings", path: ["spec", "businessKeys"], value: ["param"] },
      { kind: "edit_node", key: "task", path: ["with", "input"], value: "{{ params.param }}" },
      { kind: "rename_param", name: "param", to: "order_id" },
    );
    expect(state.draft.definition.spec).toMatchObject({
      params: { order_id: {} },
      businessKeys: ["order_id"],
      schedules: [{ params: { order_id: "x" } }],
    });
    expect(findNode(state.draft, "task")?.with).toMatchObject({ input: "{{ params.order_id }}" });
  });
});

describe("copy and paste", () => {
  test("pastes the copied nodes as JSON text under free keys, linked among themselves alone (PIP-2)", () => {
    const source = run(three(), {
      kind: "edit_node",
      key: "task_3",
      path: ["with", "input"],
      value: "{{ nodes.task_2.output }} {{ nodes.task.output }}",
    });
    const state = run(source, { kind: "paste", text: copyText(source.draft, new Set(["task_2", "task_3"])), after: null });
    expect(needs(state)).toMatchObject({ task_4: [], task_5: ["task_4"] });
    expect(findNode(state.draft, "task_5")?.with).toMatchObject({ input: "{{ nodes.task_4.output }} {{ nodes.task.output }}" });
    expect(state.selection).toEqual(["task_4", "task_5"]);
  });

  test("in a plain list, what is pasted goes in after the selected step (PIP-3)", () => {
    const source = three();
    const state = run(source, { kind: "duplicate_nodes", keys: ["task", "task_2"], after: "task_2" });
    expect(stepsOf(state.draft)).toEqual(["task", "task_2", "task_4", "task_5", "task_3"]);
  });

  test("keys that change places are not renamed twice (PIP-2)", () => {
    const nodes = [
      { key: "task", type: "handler", with: { task: "a" } },
      { key: "task_2", type: "handler", needs: ["task"], with: { task: "a", input: "{{ nodes.task.output }}" } },
    ];
    const state = run(run(openEditor(EMPTY), add(null)), { kind: "paste", text: JSON.stringify({ kind: "Nodes", nodes }), after: null });
    expect(needs(state)).toEqual({ task: [], task_2: [], task_3: ["task_2"] });
    expect(findNode(state.draft, "task_3")?.with).toMatchObject({ input: "{{ nodes.task_2.output }}" });
  });

  test.each([
    "hello",
    "",
    "[1]",
    '{"kind":"Nodes"}',
    '{"kind":"Nodes","nodes":[{"key":"a"}]}',
    '{"kind":"Nodes","nodes":[{"key":"a","type":"wait","with":{"for":"1s"},"x":1}]}',
  ])("text that holds no nodes is refused and changes nothing: %s (PIP-2)", (text) => {
    const before = three();
    const state = run(before, { kind: "paste", text, after: null });
    expect(state.refusal?.code === "not_nodes" || state.draft === before.draft).toBe(true);
    expect(state.draft).toBe(before.draft);
  });
});

describe("the sequence view", () => {
  test("moving a step links the list anew, in the order in which it is shown (PIP-3)", () => {
    const state = run(three(), { kind: "reorder_step", key: "task_3", to: 0 });
    expect(stepsOf(state.draft)).toEqual(["task_3", "task", "task_2"]);
    expect(needs(state)).toEqual({ task_3: [], task: ["task_3"], task_2: ["task"] });
  });

  test("a pipeline that branches is no list of steps (PIP-3)", () => {
    const branched = run(three(), add("task"));
    expect(stepsOf(branched.draft)).toBeNull();
    expect(run(branched, { kind: "reorder_step", key: "task", to: 1 }).refusal).toEqual({ code: "not_a_sequence" });
  });
});

describe("problems", () => {
  test("each leads to the node and the field at fault (PIP-2)", () => {
    const state = run(three(), { kind: "edit_node", key: "task_2", path: ["with", "input"], value: { v: "{{ nodes.task_3.output }}" } });
    expect(problemsOf(state.draft.definition).map(({ nodeKey, field, code }) => [nodeKey, field, code])).toEqual([
      ["task", "with.task", "task_name"],
      ["task_2", "with.task", "task_name"],
      ["task_3", "with.task", "task_name"],
      ["task_2", "with.input.v", "not_a_predecessor"],
    ]);
  });
});

const key = fc.nat(5).map((index) => (index === 0 ? "task" : `task_${index + 1}`));
const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    kind: fc.constant("add_node" as const),
    type: fc.constantFrom("http", "command", "handler", "wait"),
    after: fc.option(key),
    between: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom("connect", "disconnect"), from: key, to: key }),
  fc.record({ kind: fc.constant("delete_nodes" as const), keys: fc.array(key, { maxLength: 2 }), heal: fc.boolean() }),
  fc.record({ kind: fc.constant("duplicate_nodes" as const), keys: fc.array(key, { maxLength: 2 }), after: fc.option(key) }),
  fc.record({
    kind: fc.constant("edit_node" as const),
    key,
    path: fc.constantFrom(["title"], ["with", "input"], ["timeout"]),
    value: fc.constantFrom("a", "{{ nodes.task.output }}", "5m"),
  }),
  fc.record({ kind: fc.constant("rename_node" as const), key, to: fc.oneof(key, fc.constantFrom("pull", "load")) }),
  fc.record({ kind: fc.constant("reorder_step" as const), key, to: fc.nat(5) }),
  fc.record({
    kind: fc.constant("move_nodes" as const),
    places: fc.dictionary(key, fc.record({ x: fc.nat(500), y: fc.nat(500) }), { noNullPrototype: true }),
  }),
  fc.constant<Command>({ kind: "arrange" }),
  fc.constant<Command>({ kind: "add_param", param: { type: "string" } }),
  fc.constant<Command>({ kind: "add_schedule", timezone: "UTC" }),
  fc.constant<Command>({ kind: "rename_param", name: "param", to: "day" }),
);

describe("undo and redo", () => {
  test("undoing all returns the start, redoing all the end, whatever was done (PIP-2)", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 25 }), (commands) => {
        const end = run(openEditor(EMPTY), ...commands);
        const back = Array.from({ length: end.past.length }).reduce<EditorState>((state) => editorReducer(state, { type: "undo" }), end);
        expect(back.draft).toBe(EMPTY);
        expect(editorReducer(back, { type: "undo" })).toBe(back);
        const again = Array.from({ length: end.past.length }).reduce<EditorState>((state) => editorReducer(state, { type: "redo" }), back);
        expect(again.draft).toEqual(end.draft);
      }),
      { numRuns: 200 },
    );
  });

  test("no sequence of commands draws a cycle, doubles a key or leaves a need on nothing (PIP-3)", () => {
    fc.assert(
      fc.property(fc.array(anyCommand, { maxLength: 25 }), (commands) => {
        const { nodes } = run(openEditor(EMPTY), ...commands).draft.definition.spec;
        expect(findCycle(nodes)).toBeNull();
        const keys = nodes.map((node) => node.key);
        expect(new Set(keys).size).toBe(keys.length);
        for (const node of nodes) {
          expect(keys).toEqual(expect.arrayContaining(node.needs));
          expect(new Set(node.needs).size).toBe(node.needs.length);
        }
        if (stepsOf({ ...EMPTY, definition: { ...EMPTY.definition, spec: { ...EMPTY.definition.spec, nodes } } }) === null)
          expect(isSequence(nodes)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test("a word typed into a field is one step back; after a pause for another field it is the next (PIP-2)", () => {
    const type = (value: string): Command => ({ kind: "edit_node", key: "task", path: ["title"], value });
    const state = run(three(), type("P"), type("Pu"), type("Pull"));
    expect(editorReducer(state, { type: "undo" }).draft).toEqual(three().draft);
    expect(state.past).toHaveLength(4);
    expect(run(editorReducer(state, { type: "seal" }), type("Pull it")).past).toHaveLength(5);
  });
});

describe("the panel", () => {
  test("typing into one node's form never reaches another's, whatever is clicked in between (B90)", () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant("click" as const), node: fc.constantFrom("task", "task_2", "task_3") }),
      fc.record({ do: fc.constant("type" as const), text: fc.constantFrom('{"a":', '{"a": 1}', "x", "", "7", '"7"') }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        let state = editorReducer(three(), { type: "select", keys: ["task"] });
        let buffer: { field: string; text: string } | null = null;
        const last = new Map<string, string>();
        for (const step of actions) {
          const [open = "task"] = state.selection;
          if (step.do === "click") state = editorReducer(state, { type: "select", keys: [step.node] });
          else {
            buffer = { field: `${open} with.input`, text: step.text };
            last.set(open, step.text);
            state = run(state, { kind: "edit_node", key: open, path: ["with", "input"], value: jsonText.parse(step.text) });
          }
          const [shown = "task"] = state.selection;
          const node = findNode(state.draft, shown);
          const value = node?.type === "handler" ? node.with.input : undefined;
          expect(jsonText.parse(shownText(jsonText, buffer, `${shown} with.input`, value))).toEqual(value);
        }
        for (const name of ["task", "task_2", "task_3"]) {
          const typed = last.get(name);
          const expected = typed === undefined ? undefined : jsonText.parse(typed);
          const node = findNode(state.draft, name);
          expect(node?.type === "handler" && node.with.input).toEqual(expected);
        }
      }),
    );
  });
});

test("300 nodes get places that do not overlap, every node right of what it needs (PIP-2)", () => {
  const nodes = Array.from({ length: 300 }, (_, index) => ({
    key: `n${index}`,
    needs: index === 0 ? [] : [`n${Math.floor((index - 1) / 2)}`],
  }));
  const layout = completeLayout(nodes, {});
  for (const node of nodes) for (const need of node.needs) expect(layout[need]?.x ?? 0).toBeLessThan(layout[node.key]?.x ?? 0);
  const places = Object.values(layout).map(({ x, y }) => `${x}/${y}`);
  expect(new Set(places).size).toBe(300);
});
