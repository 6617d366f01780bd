import { MAX_NODES, type NodeDefinition } from "@/server/domain/pipeline/definition";
import { cycleText, cycleThrough, isSequence, topologicalOrder } from "@/server/domain/pipeline/graph";
import { autoLayout, completeLayout, freePlace } from "./auto-layout";
import { adoptNodes, copyText, placePasted, readClipboard } from "./clipboard";
import type { Applied, Command, Refusal } from "./command";
import { editSettings } from "./edit-settings";
import { type EditorDraft, findNode, newNode, snap, withNode, withNodes } from "./editor-draft";
import { renameNode } from "./rename";
import { reorderStep } from "./reorder-step";
import { setIn } from "./set-in";

type Of<K extends Command["kind"]> = Extract<Command, { readonly kind: K }>;

const refused = (refusal: Refusal): Applied => ({ kind: "refused", refusal });
const keysOf = (draft: EditorDraft): ReadonlySet<string> => new Set(draft.definition.spec.nodes.map(({ key }) => key));

function addNode(draft: EditorDraft, { type, after, between, only, at }: Of<"add_node">): Applied {
  const { nodes } = draft.definition.spec;
  if (nodes.length >= MAX_NODES) return refused({ code: "too_many_nodes", max: MAX_NODES });
  const before = after !== null && findNode(draft, after) !== undefined ? after : null;
  const node = newNode(type, keysOf(draft), before === null ? [] : [before]);
  const follows = (needs: readonly string[]) => (before === null ? needs.length === 0 : needs.includes(before));
  const relinked = nodes.map((other) => {
    if (!between || !follows(other.needs) || (only !== undefined && other.key !== only)) return other;
    return { ...other, needs: before === null ? [node.key] : other.needs.map((need) => (need === before ? node.key : need)) };
  });
  const index = before === null ? (between ? 0 : nodes.length) : nodes.findIndex(({ key }) => key === before) + 1;
  const layout = completeLayout(nodes, draft.layout);
  const place = at === undefined ? freePlace(layout, node.needs) : snap(at);
  return {
    kind: "applied",
    draft: withNodes(draft, relinked.toSpliced(index, 0, node), { ...layout, [node.key]: place }),
    select: [node.key],
  };
}

function connect(draft: EditorDraft, { from, to }: Of<"connect" | "disconnect">): Applied {
  const target = findNode(draft, to);
  if (target === undefined || findNode(draft, from) === undefined) return { kind: "applied", draft };
  if (target.needs.includes(from)) return refused({ code: "already_connected", from, to });
  const cycle = cycleThrough(draft.definition.spec.nodes, from, to);
  if (cycle !== null) return refused({ code: "cycle", cycle: cycleText(cycle) });
  return { kind: "applied", draft: withNode(draft, to, (node) => ({ ...node, needs: [...node.needs, from] })) };
}

function disconnect(draft: EditorDraft, { from, to }: Of<"connect" | "disconnect">): Applied {
  return { kind: "applied", draft: withNode(draft, to, (node) => ({ ...node, needs: node.needs.filter((need) => need !== from) })) };
}

/** What a node needs once the doomed are gone: nothing of them, or what they needed in turn. */
function healedNeeds(draft: EditorDraft, needs: readonly string[], doomed: ReadonlySet<string>, heal: boolean): string[] {
  const result = new Set<string>();
  const seen = new Set<string>();
  const open = [...needs].reverse();
  for (let need = open.pop(); need !== undefined; need = open.pop()) {
    if (!doomed.has(need)) result.add(need);
    else if (heal && !seen.has(need)) open.push(...(findNode(draft, need)?.needs ?? []).toReversed());
    seen.add(need);
  }
  return [...result];
}

function deleteNodes(draft: EditorDraft, { keys, heal }: Of<"delete_nodes">): Applied {
  const doomed = new Set(keys);
  const kept = draft.definition.spec.nodes.filter(({ key }) => !doomed.has(key));
  const nodes = kept.map((node) => {
    if (!node.needs.some((need) => doomed.has(need))) return node;
    return { ...node, needs: healedNeeds(draft, node.needs, doomed, heal) };
  });
  const layout = Object.fromEntries(Object.entries(draft.layout).filter(([key]) => !doomed.has(key)));
  return { kind: "applied", draft: withNodes(draft, nodes, layout), select: [] };
}

/** Puts a list of steps into a list of steps; null where either of them is none. */
function chained(
  nodes: readonly NodeDefinition[],
  fresh: readonly NodeDefinition[],
  after: string | null,
): readonly NodeDefinition[] | null {
  const steps = isSequence(nodes) && isSequence(fresh) ? topologicalOrder(fresh) : null;
  const [first] = steps ?? [];
  const last = steps?.at(-1);
  const index = nodes.findIndex(({ key }) => key === after);
  if (first === undefined || last === undefined || after === null || index === -1) return null;
  const behind = nodes.map((node) => (node.needs.includes(after) ? { ...node, needs: [last] } : node));
  const begun = fresh.map((node) => (node.key === first ? { ...node, needs: [after] } : node));
  return behind.toSpliced(index + 1, 0, ...begun);
}

function paste(draft: EditorDraft, text: string, after: string | null): Applied {
  const pasted = readClipboard(text);
  if (pasted.kind === "not_nodes") return refused({ code: "not_nodes", message: pasted.message });
  const { nodes } = draft.definition.spec;
  if (nodes.length + pasted.nodes.length > MAX_NODES) return refused({ code: "too_many_nodes", max: MAX_NODES });
  const layout = completeLayout(nodes, draft.layout);
  const adopted = adoptNodes(pasted.nodes, keysOf(draft));
  const fresh = [...adopted.values()];
  const placed = { ...layout, ...placePasted(adopted, completeLayout(pasted.nodes, pasted.layout), layout) };
  const list = chained(nodes, fresh, after);
  const select = fresh.map(({ key }) => key);
  if (list !== null) return { kind: "applied", draft: withNodes(draft, list, autoLayout(list)), select };
  return { kind: "applied", draft: withNodes(draft, [...nodes, ...fresh], placed), select };
}

function rename(draft: EditorDraft, { key, to }: Of<"rename_node">): Applied {
  if (key === to || findNode(draft, key) === undefined) return { kind: "applied", draft };
  if (findNode(draft, to) !== undefined) return refused({ code: "key_taken", key: to });
  return { kind: "applied", draft: renameNode(draft, key, to), select: [to] };
}

/** Applies one command. A refusal leaves everything as it was and says why; nothing is applied by half. */
export function applyCommand(draft: EditorDraft, command: Command): Applied {
  switch (command.kind) {
    case "add_node":
      return addNode(draft, command);
    case "connect":
      return connect(draft, command);
    case "disconnect":
      return disconnect(draft, command);
    case "move_nodes":
      return { kind: "applied", draft: { ...draft, layout: { ...draft.layout, ...command.places } } };
    case "arrange":
      return { kind: "applied", draft: { ...draft, layout: autoLayout(draft.definition.spec.nodes) } };
    case "delete_nodes":
      return deleteNodes(draft, command);
    case "duplicate_nodes":
      return paste(draft, copyText(draft, new Set(command.keys)), command.after);
    case "paste":
      return paste(draft, command.text, command.after);
    case "edit_node":
      return { kind: "applied", draft: withNode(draft, command.key, (node) => setIn(node, command.path, command.value)) };
    case "rename_node":
      return rename(draft, command);
    case "reorder_step":
      return reorderStep(draft, command.key, command.to);
    case "replace":
      return {
        kind: "applied",
        draft: { definition: command.definition, layout: completeLayout(command.definition.spec.nodes, command.layout) },
        select: [],
      };
    case "edit_settings":
    case "add_param":
    case "rename_param":
    case "remove_param":
    case "add_schedule":
    case "remove_schedule":
      return editSettings(draft, command);
  }
}
