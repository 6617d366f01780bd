import type { NodeDefinition } from "@/server/domain/pipeline/definition";
import { renameInNode } from "@/server/domain/pipeline/node-templates";
import { type EditorDraft, withNodes } from "./editor-draft";

const swap = (key: string | undefined, from: string, to: string) => (key === from ? to : key);

function renamedNode(node: NodeDefinition, from: string, to: string): NodeDefinition {
  return {
    ...renameInNode(node, "nodes", from, to),
    key: node.key === from ? to : node.key,
    needs: node.needs.map((need) => (need === from ? to : need)),
    ...(node.fallback !== undefined && { fallback: swap(node.fallback, from, to) }),
    ...(node.compensate !== undefined && { compensate: swap(node.compensate, from, to) }),
  } as NodeDefinition;
}

/** A node's new key, in everything that names it: needs, fallbacks, templates, its place on the canvas. */
export function renameNode(draft: EditorDraft, from: string, to: string): EditorDraft {
  const { [from]: place, ...others } = draft.layout;
  return withNodes(
    draft,
    draft.definition.spec.nodes.map((node) => renamedNode(node, from, to)),
    place === undefined ? others : { ...others, [to]: place },
  );
}

const renamedField = <T>(fields: Readonly<Record<string, T>>, from: string, to: string): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name === from ? to : name, value]));

/** A parameter's new name, in everything that names it. */
export function renameParam(draft: EditorDraft, from: string, to: string): EditorDraft {
  const { definition } = draft;
  const { spec } = definition;
  return {
    layout: draft.layout,
    definition: {
      ...definition,
      spec: {
        ...spec,
        params: renamedField(spec.params, from, to),
        businessKeys: spec.businessKeys.map((name) => (name === from ? to : name)),
        schedules: spec.schedules.map((schedule) =>
          schedule.params === undefined ? schedule : { ...schedule, params: renamedField(schedule.params, from, to) },
        ),
        nodes: spec.nodes.map((node) => renameInNode(node, "params", from, to)),
      },
    },
  };
}
