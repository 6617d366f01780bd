import type { NodeType, ParamDefinition, PipelineDefinition } from "@/server/domain/pipeline/definition";
import type { DraftLayout } from "@/server/domain/pipeline/draft";
import type { EditorDraft, Point } from "./editor-draft";
import type { FieldPath } from "./set-in";

/** Every change that an author can make; undo, redo and autosave know no other way. */
export type Command =
  | {
      readonly kind: "add_node";
      readonly type: NodeType;
      /** The node that it comes after; null puts it first. */
      readonly after: string | null;
      /** Whether what came after that node shall now come after the new one. */
      readonly between: boolean;
      /** Of the followers this one alone: a node put into one line. */
      readonly only?: string;
      readonly at?: Point;
    }
  | { readonly kind: "connect" | "disconnect"; readonly from: string; readonly to: string }
  | { readonly kind: "move_nodes"; readonly places: DraftLayout }
  | { readonly kind: "arrange" }
  | {
      readonly kind: "delete_nodes";
      readonly keys: readonly string[];
      /** Whether what came after a deleted node shall come after what was before it. */
      readonly heal: boolean;
    }
  /** Where both are plain lists, what is new goes in after this step; else it stands unconnected. */
  | { readonly kind: "duplicate_nodes"; readonly keys: readonly string[]; readonly after: string | null }
  | { readonly kind: "paste"; readonly text: string; readonly after: string | null }
  | { readonly kind: "edit_node"; readonly key: string; readonly path: FieldPath; readonly value: unknown }
  | { readonly kind: "rename_node"; readonly key: string; readonly to: string }
  | { readonly kind: "reorder_step"; readonly key: string; readonly to: number }
  | { readonly kind: "edit_settings"; readonly path: FieldPath; readonly value: unknown }
  | { readonly kind: "add_param"; readonly param: ParamDefinition }
  | { readonly kind: "rename_param"; readonly name: string; readonly to: string }
  | { readonly kind: "remove_param"; readonly name: string }
  | { readonly kind: "add_schedule"; readonly timezone: string }
  | { readonly kind: "remove_schedule"; readonly index: number }
  | { readonly kind: "replace"; readonly definition: PipelineDefinition; readonly layout: DraftLayout };

export type Refusal =
  | { readonly code: "cycle"; readonly cycle: string }
  | { readonly code: "already_connected"; readonly from: string; readonly to: string }
  | { readonly code: "not_nodes"; readonly message: string }
  | { readonly code: "too_many_nodes"; readonly max: number }
  | { readonly code: "key_taken"; readonly key: string }
  | { readonly code: "name_taken"; readonly name: string }
  | { readonly code: "not_a_sequence" };

export type Applied =
  | {
      readonly kind: "applied";
      readonly draft: EditorDraft;
      /** What is selected afterwards; absent leaves the selection as it is. */
      readonly select?: readonly string[];
    }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Commands with one key are one step back: typing a word is undone as a word. */
export function mergeKeyOf(command: Command): string | null {
  if (command.kind === "edit_node") return `${command.kind} ${command.key} ${command.path.join("/")}`;
  if (command.kind === "edit_settings") return `${command.kind} ${command.path.join("/")}`;
  return null;
}
