import { canonicalJson } from "./canonical";
import type { NodeDefinition, PipelineDefinition, ScheduleDefinition } from "./definition";

export interface FieldChange {
  /** Path inside the thing that changed, such as `with.url`. */
  readonly path: string;
  /** Undefined where the field came to be. */
  readonly before: unknown;
  /** Undefined where the field is gone. */
  readonly after: unknown;
}

export interface NodeChange {
  readonly key: string;
  readonly fields: readonly FieldChange[];
}

export interface DefinitionDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly NodeChange[];
  /** The same nodes, in another order. */
  readonly reordered: boolean;
  /** Everything beside the nodes; schedules go by their names: `spec.schedules.nightly.cron`. */
  readonly settings: readonly FieldChange[];
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

function fieldChanges(before: unknown, after: unknown, path: string): readonly FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after) && (before === undefined) === (after === undefined)) return [];
  if (!isFields(before) || !isFields(after)) return [{ path, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => fieldChanges(before[name], after[name], path === "" ? name : `${path}.${name}`));
}

function settingsOf({ metadata, spec }: PipelineDefinition): Fields {
  const { nodes: _nodes, schedules, ...rest } = spec;
  const byName = Object.fromEntries(schedules.map(({ name, ...schedule }: ScheduleDefinition) => [name, schedule]));
  return { metadata, spec: { ...rest, schedules: byName } };
}

/** What changes from one definition to another, by node and by field; empty where they mean the same. */
export function diffDefinitions(before: PipelineDefinition, after: PipelineDefinition): DefinitionDiff {
  const old = new Map(before.spec.nodes.map((node): [string, NodeDefinition] => [node.key, node]));
  const fresh = new Map(after.spec.nodes.map((node): [string, NodeDefinition] => [node.key, node]));
  const kept = [...fresh.keys()].filter((key) => old.has(key));
  const changed = kept
    .map((key) => ({ key, fields: fieldChanges(old.get(key), fresh.get(key), "") }))
    .filter(({ fields }) => fields.length > 0);
  return {
    added: [...fresh.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !fresh.has(key)),
    changed,
    reordered: kept.join("\n") !== [...old.keys()].filter((key) => fresh.has(key)).join("\n"),
    settings: fieldChanges(settingsOf(before), settingsOf(after), ""),
  };
}

export function isEmptyDiff(diff: DefinitionDiff): boolean {
  return !diff.reordered && [diff.added, diff.removed, diff.changed, diff.settings].every((list) => list.length === 0);
}
