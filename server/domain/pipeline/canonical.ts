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

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function sameFields(left: Fields, right: Fields): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const name of names) if (!sameJson(left[name], right[name])) return false;
  return true;
}

/** Whether two JSON values are equal as `canonicalJson` writes them, at no cost for what they share. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isFields(left) || !isFields(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  return sameFields(left, right);
}

/** Whether two definitions mean the same; order counts in lists alone. */
export function sameDefinition(left: PipelineDefinition, right: PipelineDefinition): boolean {
  return sameJson(left, right);
}
