import { sameJson } from "@/server/domain/pipeline/canonical";
import type { EditorDraft } from "./editor-draft";

/** The draft as someone else saved it meanwhile. */
export interface TheirDraft extends EditorDraft {
  readonly revision: number;
  readonly by?: string;
}

export interface SaveState {
  /** The revision that the server had when it last answered; the next save is based on it. */
  readonly revision: number;
  /** What the server has, as far as is known. */
  readonly saved: EditorDraft;
  readonly savedAt: number | null;
  readonly sending: EditorDraft | null;
  readonly failures: number;
  /** What the server will not take, and why; it is not sent again until it changes. */
  readonly refused: { readonly draft: EditorDraft; readonly message: string } | null;
  /** Set while an author has to choose between their own draft and this one. */
  readonly theirs: TheirDraft | null;
}

export type SaveEvent =
  | { readonly type: "sent"; readonly draft: EditorDraft }
  | { readonly type: "saved"; readonly revision: number; readonly at: number }
  | { readonly type: "failed" }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "conflict"; readonly theirs: TheirDraft }
  | { readonly type: "keep_mine" | "take_theirs" };

const QUIET_MS = 1_000;
const MAX_WAIT_MS = 30_000;

export const openSaves = (draft: EditorDraft, revision: number): SaveState => ({
  revision,
  saved: draft,
  savedAt: null,
  sending: null,
  failures: 0,
  refused: null,
  theirs: null,
});

export const isSameDraft = (one: EditorDraft, other: EditorDraft): boolean => sameJson(one, other);

export const isSaved = (state: SaveState, draft: EditorDraft): boolean => isSameDraft(state.saved, draft);

/** How long to wait before the next save; null while there is nothing to save or no leave to do so. */
export function nextSaveInMs(state: SaveState, draft: EditorDraft): number | null {
  if (state.sending !== null || state.theirs !== null || isSaved(state, draft)) return null;
  if (state.refused !== null && isSameDraft(state.refused.draft, draft)) return null;
  return state.failures === 0 ? QUIET_MS : Math.min(MAX_WAIT_MS, 1_000 * 2 ** (state.failures - 1));
}

/** One save at a time; what changes meanwhile goes with the next one, and a conflict stops saving until it is resolved. */
export function saveReducer(state: SaveState, event: SaveEvent): SaveState {
  switch (event.type) {
    case "sent":
      return { ...state, sending: event.draft };
    case "saved":
      if (state.sending === null) return state;
      return { ...state, saved: state.sending, revision: event.revision, savedAt: event.at, sending: null, failures: 0, refused: null };
    case "refused":
      if (state.sending === null) return state;
      return { ...state, sending: null, failures: 0, refused: { draft: state.sending, message: event.message } };
    case "failed":
      return { ...state, sending: null, failures: state.failures + 1 };
    case "conflict":
      return { ...state, sending: null, failures: 0, theirs: event.theirs };
    case "keep_mine":
    case "take_theirs": {
      const { theirs } = state;
      if (theirs === null) return state;
      return { ...state, theirs: null, revision: theirs.revision, saved: { definition: theirs.definition, layout: theirs.layout } };
    }
  }
}
