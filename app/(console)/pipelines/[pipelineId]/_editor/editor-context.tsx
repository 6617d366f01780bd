"use client";
import { createContext, type Dispatch, useContext } from "react";
import type { Command } from "./model/command";
import type { EditorAction, EditorState } from "./model/history";
import type { Problem } from "./model/problems";

/** The pipeline that is edited. */
export interface EditorPlace {
  readonly projectId: string;
  readonly pipelineId: string;
}

/** What an author may choose from, as far as the place around the editor knows it. */
export interface EditorChoices {
  /** Whose history advises on retries; null where there is none to ask. */
  readonly place: EditorPlace | null;
  readonly groups: readonly string[];
  readonly tasks: readonly string[];
  readonly secrets: readonly string[];
}

/** A place that was asked for, by a problem or by the keyboard; a new number asks anew. */
export interface Jump {
  readonly nodeKey: string | null;
  readonly field: string | null;
  readonly number: number;
}

export type View = "sequence" | "canvas";

export interface Editor {
  readonly state: EditorState;
  readonly dispatch: Dispatch<EditorAction>;
  readonly run: (command: Command) => void;
  readonly problems: readonly Problem[];
  readonly problemsOf: ReadonlyMap<string, readonly Problem[]>;
  readonly readOnly: boolean;
  readonly choices: EditorChoices;
  readonly view: View;
  readonly jump: Jump | null;
  readonly jumpTo: (nodeKey: string | null, field: string | null) => void;
  /** Opens the list of node types; what is chosen comes after this node, before its followers where asked. */
  readonly openAdd: (after: string | null, between: boolean, only?: string) => void;
  /** Shows the form where there is no room for it beside the drawing. */
  readonly openPanel: () => void;
  /** Ids of the selected lines, as `edgeId` makes them. */
  readonly lines: ReadonlySet<string>;
  readonly setLines: (lines: ReadonlySet<string>) => void;
  readonly query: string;
  readonly hits: ReadonlySet<string>;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) throw new Error("useEditor stands outside <PipelineEditor>: render this part inside it");
  return editor;
}
