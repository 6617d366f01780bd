import type { PipelineDefinition } from "./definition";

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}

/** JSON with sorted field names: equal text for equal values, whatever order they were written in. Hash this. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

/** Whether two definitions mean the same; order counts in lists alone. */
export function sameDefinition(left: PipelineDefinition, right: PipelineDefinition): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
