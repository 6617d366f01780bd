import type { IdempotencyCheck, NodeDefinition } from "./definition";
import { type PlacedText, renameInTree, templatesIn } from "./template";

/** The call that tells whether a node's effect exists already (IDM-5); a wait acts on nothing. */
export const checkOf = (node: NodeDefinition): IdempotencyCheck | undefined => (node.type === "wait" ? undefined : node.check);

/** Every text of a node that holds a template, with its place in the node. */
export function templatesOfNode(node: NodeDefinition): readonly PlacedText[] {
  return [...templatesIn(node.with, ["with"]), ...templatesIn(checkOf(node), ["check"])];
}

/** The node with its templates naming `to` where they named `from`. */
export function renameInNode(node: NodeDefinition, root: "nodes" | "params", from: string, to: string): NodeDefinition {
  const check = checkOf(node);
  const renamed = check === undefined ? {} : { check: renameInTree(check, root, from, to) };
  return { ...node, with: renameInTree(node.with, root, from, to), ...renamed } as NodeDefinition;
}
