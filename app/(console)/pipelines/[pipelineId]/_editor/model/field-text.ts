import { sameJson } from "@/server/domain/pipeline/canonical";
import { parseJson } from "@/server/domain/pipeline/parse-json";
import { toPlainTree } from "@/server/domain/pipeline/plain-tree";

/**
 * A structured value as the text in a form's field. Every text has a value, so that whatever has been
 * typed so far is in the draft, and a value's text always reads back as the same value.
 */
export interface FieldText<T> {
  readonly parse: (text: string) => T | undefined;
  readonly format: (value: T | undefined) => string;
}

function plainJson(text: string): { readonly value: unknown } | null {
  const parsed = parseJson(text);
  if (parsed.kind !== "value") return null;
  const tree = toPlainTree(parsed.value);
  return tree.issues.length > 0 ? null : { value: tree.value };
}

/** JSON where it is JSON, else the text itself, digit by digit. */
export const jsonText: FieldText<unknown> = {
  parse: (text) => {
    if (text.trim() === "") return undefined;
    const json = plainJson(text);
    return json === null ? text : json.value;
  },
  format: (value) => {
    if (value === undefined) return "";
    if (typeof value === "string" && jsonText.parse(value) === value) return value;
    return JSON.stringify(value, null, typeof value === "string" ? undefined : 2);
  },
};

/** True where a field holds text that was meant as JSON and is not. */
export function looksLikeBrokenJson(value: unknown): boolean {
  return typeof value === "string" && /^\s*[[{](?!\{)/.test(value) && plainJson(value) === null;
}

const quoted = (text: string): string | null => {
  const json = text.startsWith('"') ? plainJson(text) : null;
  return typeof json?.value === "string" ? json.value : null;
};
const needsQuotes = (text: string) => text === "" || text.trim() !== text || text.startsWith('"') || /[\n\r]/.test(text);
const lineOf = (text: string) => (needsQuotes(text) ? JSON.stringify(text) : text);
const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== "");

/** One entry a line; a line in double quotes may hold anything. */
export const linesText: FieldText<readonly string[]> = {
  parse: (text) => linesOf(text).map((line) => quoted(line.trim()) ?? line.trim()),
  format: (value) => (value ?? []).map(lineOf).join("\n"),
};

/** One `name: value` or `NAME=value` a line; nothing at all is no field at all. */
export function pairsText(separator: ": " | "="): FieldText<Readonly<Record<string, string>>> {
  const mark = separator.trim();
  const plainName = (name: string) => !needsQuotes(name) && !name.includes(mark);
  const split = (line: string): [string, string] => {
    const name = /^"(?:[^"\\]|\\.)*"/.exec(line)?.[0];
    const known = name === undefined ? null : quoted(name);
    const at = known === null ? line.indexOf(mark) : line.indexOf(mark, name?.length ?? 0);
    if (at === -1) return [known ?? line.trim(), ""];
    const value = line.slice(at + mark.length).trim();
    return [known ?? line.slice(0, at).trim(), quoted(value) ?? value];
  };
  return {
    parse: (text) => {
      const lines = linesOf(text);
      return lines.length === 0 ? undefined : Object.fromEntries(lines.map((line) => split(line.trim())));
    },
    format: (value) =>
      Object.entries(value ?? {})
        .map(([name, text]) => `${plainName(name) ? name : JSON.stringify(name)}${separator}${text === "" ? "" : lineOf(text)}`)
        .join("\n"),
  };
}

/** `table:orders, api:billing`. */
export const wordsText: FieldText<readonly string[]> = {
  parse: (text) => text.split(/[\s,]+/).filter((word) => word !== ""),
  format: (value) => (value ?? []).join(", "),
};

/** `200, 202-204`. */
export const codesText: FieldText<readonly number[]> = {
  parse: (text) => {
    const codes = text.split(/[\s,]+/).flatMap((word) => {
      const [, from, to] = /^(\d{3})(?:-(\d{3}))?$/.exec(word) ?? [];
      if (from === undefined) return [];
      const last = Math.min(Number(to ?? from), 599);
      return Array.from({ length: Math.max(0, last - Number(from) + 1) }, (_, index) => Number(from) + index);
    });
    return codes.length === 0 ? undefined : [...new Set(codes)];
  },
  format: (value) => (value ?? []).join(", "),
};

/** A number; what is no number is none. */
export const numberText: FieldText<number> = {
  parse: (text) => {
    const number = Number(text.trim());
    return text.trim() === "" || !Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))
      ? undefined
      : number;
  },
  format: (value) => (value === undefined ? "" : String(value)),
};

/** `2500ms, 2m, 4m`. */
export const durationsText: FieldText<readonly string[]> = wordsText;

/** The one field that is being typed into, as typed. It knows its field, so it can never show in another. */
export interface FieldBuffer {
  readonly field: string;
  readonly text: string;
}

/** What a field shows: the text as typed while it still means the stored value, else the value's own text. */
export function shownText<T>(kind: FieldText<T>, buffer: FieldBuffer | null, field: string, value: T | undefined, empty?: T): string {
  if (buffer?.field === field && sameJson(kind.parse(buffer.text) ?? empty, value)) return buffer.text;
  return kind.format(value);
}
