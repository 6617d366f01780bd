import { sameJson } from "@/server/domain/pipeline/canonical";
import { applyCommand } from "./apply-command";
import { type Command, mergeKeyOf, type Refusal } from "./command";
import type { EditorDraft } from "./editor-draft";

interface Step {
  readonly draft: EditorDraft;
  readonly selection: readonly string[];
}

export interface EditorState extends Step {
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** The field that is being typed into; its next change belongs to the same step. */
  readonly merging: string | null;
  /** Why the last command changed nothing. */
  readonly refusal: Refusal | null;
}

export type EditorAction =
  | { readonly type: "run"; readonly command: Command }
  | { readonly type: "undo" | "redo" | "seal" | "dismiss" }
  | { readonly type: "select"; readonly keys: readonly string[] };

const MAX_STEPS = 500;

export const openEditor = (draft: EditorDraft): EditorState => ({
  draft,
  selection: [],
  past: [],
  future: [],
  merging: null,
  refusal: null,
});

function withoutGone(draft: EditorDraft, selection: readonly string[]): readonly string[] {
  const keys = new Set(draft.definition.spec.nodes.map(({ key }) => key));
  return selection.every((key) => keys.has(key)) ? selection : selection.filter((key) => keys.has(key));
}

function run(state: EditorState, command: Command): EditorState {
  const applied = applyCommand(state.draft, command);
  if (applied.kind === "refused") return { ...state, merging: null, refusal: applied.refusal };
  if (sameJson(applied.draft, state.draft)) return { ...state, refusal: null };
  const mergeKey = mergeKeyOf(command);
  const continues = mergeKey !== null && mergeKey === state.merging;
  const step: Step = { draft: state.draft, selection: state.selection };
  return {
    draft: applied.draft,
    selection: withoutGone(applied.draft, applied.select ?? state.selection),
    past: continues ? state.past : [...state.past, step].slice(-MAX_STEPS),
    future: [],
    merging: mergeKey,
    refusal: null,
  };
}

function travel(state: EditorState, to: "undo" | "redo"): EditorState {
  const from = to === "undo" ? state.past : state.future;
  const target = to === "undo" ? from.at(-1) : from[0];
  if (target === undefined) return state;
  const step: Step = { draft: state.draft, selection: state.selection };
  return {
    ...target,
    past: to === "undo" ? from.slice(0, -1) : [...state.past, step],
    future: to === "undo" ? [step, ...state.future] : from.slice(1),
    merging: null,
    refusal: null,
  };
}

/** The whole editor as one pure step: state and action in, state out. */
export function editorReducer(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case "run":
      return run(state, action.command);
    case "undo":
    case "redo":
      return travel(state, action.type);
    case "seal":
      return state.merging === null ? state : { ...state, merging: null };
    case "dismiss":
      return { ...state, refusal: null };
    case "select":
      return { ...state, selection: withoutGone(state.draft, action.keys), merging: null };
  }
}
