import { API_VERSION, type NodeDefinition } from "@/server/domain/pipeline/definition";
import { type DraftLayout, parseDraft } from "@/server/domain/pipeline/draft";
import { renameInNode } from "@/server/domain/pipeline/node-templates";
import { parseText } from "@/server/domain/pipeline/parse-text";
import { CARD, type EditorDraft, freeName, type Point, snap } from "./editor-draft";

const KIND = "Nodes";
const STEP_ASIDE = 48;

export type Pasted =
  | { readonly kind: "nodes"; readonly nodes: readonly NodeDefinition[]; readonly layout: DraftLayout }
  | { readonly kind: "not_nodes"; readonly message: string };

/** The selected nodes as JSON text that can be pasted here, in another pipeline, or in a mail. */
export function copyText(draft: EditorDraft, keys: ReadonlySet<string>): string {
  const nodes = draft.definition.spec.nodes.filter(({ key }) => keys.has(key));
  const layout = Object.fromEntries(nodes.flatMap(({ key }) => (draft.layout[key] === undefined ? [] : [[key, draft.layout[key]]])));
  return JSON.stringify({ apiVersion: API_VERSION, kind: KIND, nodes, layout }, null, 2);
}

function nodesIn(value: unknown): { nodes: unknown; layout: unknown } | null {
  if (typeof value !== "object" || value === null) return null;
  const { kind, nodes, layout, spec } = value as Record<string, unknown>;
  if (kind === KIND) return { nodes, layout };
  if (kind === "Pipeline" && typeof spec === "object" && spec !== null)
    return { nodes: (spec as Record<string, unknown>).nodes, layout: {} };
  return null;
}

const isPoint = (value: unknown): value is Point =>
  typeof value === "object" && value !== null && "x" in value && "y" in value && Number.isFinite(value.x) && Number.isFinite(value.y);

function layoutIn(value: unknown): DraftLayout {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Point] => isPoint(entry[1])));
}

/** Nodes out of any text: what was copied here, or a whole pipeline as YAML or JSON. */
export function readClipboard(text: string): Pasted {
  const parsed = parseText(text);
  const found = parsed.ok ? nodesIn(parsed.value) : null;
  if (found === null) return { kind: "not_nodes", message: parsed.ok ? "" : (parsed.issues[0]?.message ?? "") };
  const judged = parseDraft({
    apiVersion: API_VERSION,
    kind: "Pipeline",
    metadata: { name: "a", title: "a", owner: "a" },
    spec: { domain: "A", nodes: found.nodes },
  });
  if (!judged.ok) {
    const [issue] = judged.issues;
    return { kind: "not_nodes", message: issue === undefined ? "" : `${issue.path}: ${issue.message}` };
  }
  return { kind: "nodes", nodes: judged.definition.spec.nodes, layout: layoutIn(found.layout) };
}

/** New keys for nodes whose keys are taken; what the nodes say of each other follows, needs on nodes left behind are dropped. */
export function adoptNodes(nodes: readonly NodeDefinition[], taken: ReadonlySet<string>): ReadonlyMap<string, NodeDefinition> {
  const used = new Set(taken);
  const keys = new Map<string, string>();
  for (const { key } of nodes) {
    if (keys.has(key)) continue;
    const free = freeName(key === "" ? "task" : key, used);
    used.add(free);
    keys.set(key, free);
  }
  const changed = [...keys].filter(([from, to]) => from !== to);
  const own = (key: string | undefined) => (key === undefined ? undefined : keys.get(key));
  return new Map(
    nodes.map((node) => {
      // In two steps, so that a new key that equals another node's old key is not renamed twice.
      const parked = changed.reduce((one, [from]) => renameInNode(one, "nodes", from, `${from}__parked`), node);
      const { fallback, compensate, ...rest } = changed.reduce(
        (one, [from, to]) => renameInNode(one, "nodes", `${from}__parked`, to),
        parked,
      );
      const helpers = {
        ...(own(fallback) !== undefined && { fallback: own(fallback) }),
        ...(own(compensate) !== undefined && { compensate: own(compensate) }),
      };
      const needs = node.needs.flatMap((need) => keys.get(need) ?? []);
      return [node.key, { ...rest, ...helpers, key: keys.get(node.key) ?? node.key, needs } as NodeDefinition];
    }),
  );
}

const overlap = (one: Point, other: Point) => Math.abs(one.x - other.x) < CARD.width && Math.abs(one.y - other.y) < CARD.height;

/** Where pasted cards go: as they stood to each other, moved down until they cover nothing. */
export function placePasted(adopted: ReadonlyMap<string, NodeDefinition>, pasted: DraftLayout, existing: DraftLayout): DraftLayout {
  const taken = Object.values(existing);
  const places = [...adopted].flatMap(([from, { key }]) => {
    const place = pasted[from];
    return place === undefined ? [] : [{ key, place }];
  });
  let down = 0;
  while (places.some(({ place }) => taken.some((other) => overlap({ x: place.x, y: place.y + down }, other)))) down += STEP_ASIDE;
  return Object.fromEntries(places.map(({ key, place }) => [key, snap({ x: place.x, y: place.y + down })]));
}
