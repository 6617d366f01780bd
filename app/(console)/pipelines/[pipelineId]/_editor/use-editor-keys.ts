"use client";
import { useTranslations } from "next-intl";
import { useEffect, useMemo, useRef } from "react";
import { type Shortcut, useShortcuts } from "@/app/_ui/shortcuts";
import type { Editor } from "./editor-context";
import { completeLayout } from "./model/auto-layout";
import { copyText } from "./model/clipboard";
import { GRID } from "./model/editor-draft";
import { stepsOf } from "./model/reorder-step";
import { type Direction, walk } from "./model/walk";

const ARROWS: Readonly<Record<string, Direction>> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
const STEP: Record<Direction, { x: number; y: number }> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));
/** Fields whose text is not in the draft yet: the browser's own undo is the right one there. */
const isLocal = (target: EventTarget | null) => target instanceof HTMLElement && target.dataset.local !== undefined;
const isModal = () => document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"]') !== null;

/** In the list, what is pasted goes in after the selected step, or at the end. */
function pasteAfter({ state, view }: Editor): string | null {
  const steps = view === "sequence" ? stepsOf(state.draft) : null;
  return steps === null ? null : (steps.findLast((key) => state.selection.includes(key)) ?? steps.at(-1) ?? null);
}

function deleteSelected({ state, run, lines, setLines, view }: Editor) {
  if (state.selection.length > 0) run({ kind: "delete_nodes", keys: state.selection, heal: view === "sequence" });
  for (const line of lines) {
    const [from = "", to = ""] = line.split(" ");
    run({ kind: "disconnect", from, to });
  }
  setLines(new Set());
}

/** Arrows walk from node to node; with Alt they move what is selected. */
function arrow(editor: Editor, direction: Direction, alt: boolean) {
  const { state, dispatch, run, view, jumpTo, readOnly } = editor;
  const { nodes } = state.draft.definition.spec;
  const layout = completeLayout(nodes, state.draft.layout);
  const key = state.selection.at(-1);
  const steps = view === "sequence" ? stepsOf(state.draft) : null;
  if (steps !== null) {
    const by = direction === "down" || direction === "right" ? 1 : -1;
    const at = key === undefined ? (by > 0 ? -1 : steps.length) : steps.indexOf(key);
    const to = at + by;
    if (alt && key !== undefined && !readOnly) run({ kind: "reorder_step", key, to: Math.max(0, to) });
    else if (steps[to] !== undefined) dispatch({ type: "select", keys: [steps[to]] });
    return;
  }
  if (alt) {
    const moved = state.selection.flatMap((each) => {
      const place = layout[each];
      return place === undefined ? [] : [[each, { x: place.x + STEP[direction].x * GRID, y: place.y + STEP[direction].y * GRID }] as const];
    });
    if (!readOnly) run({ kind: "move_nodes", places: Object.fromEntries(moved) });
    return;
  }
  const next = walk(nodes, layout, key, direction);
  if (next !== undefined) jumpTo(next, null);
}

/** A card that has the focus opens with Enter, as a button would. */
function openCard({ dispatch, openPanel }: Editor, target: EventTarget | null): boolean {
  const key = target instanceof HTMLElement && target.matches(".react-flow__node") ? target.dataset.id : undefined;
  if (key === undefined) return false;
  dispatch({ type: "select", keys: [key] });
  openPanel();
  return true;
}

interface Deeds {
  readonly save: () => void;
  readonly publish: () => void;
}

/** True where the key was the editor's. */
function pressed(editor: Editor, event: KeyboardEvent, deeds: Deeds): boolean {
  const { state, dispatch, run, openAdd, readOnly, view } = editor;
  const mod = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (mod && key === "s") deeds.save();
  else if (mod && key === "Enter") deeds.publish();
  else if (mod && key === "z" && !isLocal(event.target)) dispatch({ type: event.shiftKey ? "redo" : "undo" });
  else if (mod && key === "y" && !isLocal(event.target)) dispatch({ type: "redo" });
  else if (key === "Escape" && isField(event.target) && !isLocal(event.target)) (event.target as HTMLElement).blur();
  else if (isField(event.target)) return false;
  else if ((key === "Enter" || key === " ") && openCard(editor, event.target)) return true;
  else if (mod && key === "a") dispatch({ type: "select", keys: state.draft.definition.spec.nodes.map((node) => node.key) });
  else if (mod && key === "d" && state.selection.length > 0 && !readOnly)
    run({ kind: "duplicate_nodes", keys: state.selection, after: pasteAfter(editor) });
  else if (mod) return false;
  else if (ARROWS[key] !== undefined) arrow(editor, ARROWS[key], event.altKey);
  else if (event.altKey) return false;
  else if ((key === "Delete" || key === "Backspace") && !readOnly) deleteSelected(editor);
  else if (key === "Escape" && state.selection.length > 0) dispatch({ type: "select", keys: [] });
  else if (key === "n" && !readOnly)
    openAdd(state.selection.at(-1) ?? state.draft.definition.spec.nodes.at(-1)?.key ?? null, view === "sequence");
  else return false;
  return true;
}

function useClipboard(editor: Editor) {
  const now = useRef(editor);
  now.current = editor;
  useEffect(() => {
    const idle = (event: Event) => isField(event.target) || isModal() || (window.getSelection()?.toString() ?? "") !== "";
    const copy = (event: ClipboardEvent) => {
      const { state, run, readOnly, view } = now.current;
      if (idle(event) || state.selection.length === 0) return;
      event.preventDefault();
      event.clipboardData?.setData("text/plain", copyText(state.draft, new Set(state.selection)));
      if (event.type === "cut" && !readOnly) run({ kind: "delete_nodes", keys: state.selection, heal: view === "sequence" });
    };
    const paste = (event: ClipboardEvent) => {
      if (isField(event.target) || isModal() || now.current.readOnly) return;
      event.preventDefault();
      now.current.run({ kind: "paste", text: event.clipboardData?.getData("text/plain") ?? "", after: pasteAfter(now.current) });
    };
    document.addEventListener("copy", copy);
    document.addEventListener("cut", copy);
    document.addEventListener("paste", paste);
    return () => {
      document.removeEventListener("copy", copy);
      document.removeEventListener("cut", copy);
      document.removeEventListener("paste", paste);
    };
  }, []);
}

/** Every deed of the editor by keyboard; they also stand in the list that `?` opens. */
export function useEditorKeys(editor: Editor, deeds: Deeds) {
  const t = useTranslations("editor.keys");
  const now = useRef({ editor, deeds });
  now.current = { editor, deeds };
  useClipboard(editor);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isModal()) return;
      if (pressed(now.current.editor, event, now.current.deeds)) event.preventDefault();
    };
    // Before the frame's own keys, which take no modifiers apart from ⌘.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, []);
  const shown = useMemo<readonly Shortcut[]>(() => {
    const row = (keys: string, label: string): Shortcut => ({ keys, label, group: t("group"), run: () => undefined });
    return [
      row("n", t("add")),
      row("Delete", t("delete")),
      row("mod+z", t("undo")),
      row("mod+y", t("redo")),
      row("mod+d", t("duplicate")),
      row("mod+s", t("save")),
      row("mod+Enter", t("publish")),
    ];
  }, [t]);
  useShortcuts(shown);
}
