import { isSequence, topologicalOrder } from "@/server/domain/pipeline/graph";
import { autoLayout } from "./auto-layout";
import type { Applied } from "./command";
import { type EditorDraft, findNode, withNodes } from "./editor-draft";

/** A plain list's keys in the order in which they run; null where the pipeline branches. */
export function stepsOf(draft: EditorDraft): readonly string[] | null {
  const { nodes } = draft.definition.spec;
  return isSequence(nodes) ? topologicalOrder(nodes) : null;
}

/** Moves one step of a plain list and links the list anew. */
export function reorderStep(draft: EditorDraft, key: string, to: number): Applied {
  const steps = stepsOf(draft);
  if (steps === null) return { kind: "refused", refusal: { code: "not_a_sequence" } };
  const from = steps.indexOf(key);
  if (from === -1 || from === to) return { kind: "applied", draft };
  const order = steps.toSpliced(from, 1).toSpliced(Math.max(0, Math.min(to, steps.length - 1)), 0, key);
  const nodes = order.flatMap((step, index) => {
    const node = findNode(draft, step);
    const before = order[index - 1];
    return node === undefined ? [] : [{ ...node, needs: before === undefined ? [] : [before] }];
  });
  return { kind: "applied", draft: withNodes(draft, nodes, autoLayout(nodes)), select: [key] };
}
