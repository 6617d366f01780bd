import { type DefinitionIssue, excerpt, type PathPart, pathText } from "./issue";

export const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;
const MAX_ISSUES = 100;

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface PlainTree {
  readonly value: Json;
  readonly issues: readonly DefinitionIssue[];
}

interface Walk {
  values: number;
  readonly issues: DefinitionIssue[];
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function report(walk: Walk, path: readonly PathPart[], code: string, message: string, values?: Record<string, string | number>): null {
  if (walk.issues.length < MAX_ISSUES) walk.issues.push({ path: pathText(path), code, message, ...(values && { values }) });
  return null;
}

function checkText(walk: Walk, path: readonly PathPart[], text: string): void {
  if (text.includes("\u0000")) report(walk, path, "nul_byte", "holds a NUL character; remove it");
  else if (LONE_SURROGATE.test(text)) report(walk, path, "broken_text", "is not valid Unicode (half of a surrogate pair); correct it");
}

function plainNumber(walk: Walk, path: readonly PathPart[], value: number | bigint): Json {
  const number = Number(value);
  if (!Number.isFinite(number)) return report(walk, path, "not_finite", "is not a finite number");
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    const shown = excerpt(String(value));
    const message = `${shown} is beyond 2^53 and would lose digits; write it as text in quotes`;
    return report(walk, path, "unsafe_integer", message, { value: shown });
  }
  return number;
}

function plainObject(walk: Walk, path: PathPart[], value: object): Json {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return report(walk, path, "not_json", "is not a JSON value");
  const copy: { [key: string]: Json } = {};
  for (const [key, child] of Object.entries(value)) {
    if (child === undefined) continue;
    path.push(key);
    checkText(walk, path, key);
    if (key === "__proto__") report(walk, path, "unknown_field", '"__proto__" cannot be a field name');
    else copy[key] = plain(walk, path, child);
    path.pop();
  }
  return copy;
}

function plainArray(walk: Walk, path: PathPart[], values: readonly unknown[]): Json {
  return values.map((child, index) => {
    path.push(index);
    const copy = plain(walk, path, child);
    path.pop();
    return copy;
  });
}

function plain(walk: Walk, path: PathPart[], value: unknown): Json {
  walk.values += 1;
  if (walk.values > MAX_VALUES) {
    return walk.values === MAX_VALUES + 1
      ? report(walk, [], "too_large", `holds more than ${MAX_VALUES} values`, { max: MAX_VALUES })
      : null;
  }
  if (path.length > MAX_DEPTH) {
    return report(walk, path.slice(0, 8), "too_deep", `is nested deeper than ${MAX_DEPTH} levels`, { max: MAX_DEPTH });
  }
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return plainNumber(walk, path, value);
  if (typeof value === "string") {
    checkText(walk, path, value);
    return value;
  }
  if (Array.isArray(value)) return plainArray(walk, path, value);
  if (typeof value === "object") return plainObject(walk, path, value);
  return report(walk, path, "not_json", "is not a JSON value");
}

/**
 * A copy of any input as plain JSON, with everything that a database or another JSON reader would
 * change or refuse reported by its path: NUL bytes, broken Unicode, integers beyond 2^53, depth.
 */
export function toPlainTree(input: unknown): PlainTree {
  const walk: Walk = { values: 0, issues: [] };
  const value = plain(walk, [], input);
  return { value, issues: walk.issues };
}
