import { MAX_DEPTH } from "./plain-tree";

export type ParsedJson =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "syntax"; readonly position: number; readonly message: string }
  | { readonly kind: "refused"; readonly position: number; readonly code: "duplicate_key" | "too_deep"; readonly message: string };

class Stop extends Error {
  constructor(readonly outcome: Exclude<ParsedJson, { kind: "value" }>) {
    super(outcome.message);
  }
}

const SPACE = /[ \t\n\r]*/y;
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const WHOLE = /^-?\d+$/;

class Reader {
  #at = 0;
  constructor(readonly text: string) {}

  document(): unknown {
    const value = this.#value(0);
    this.#match(SPACE);
    if (this.#at < this.text.length) this.#fail("unexpected text after the value");
    return value;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #fail(message: string): never {
    throw new Stop({ kind: "syntax", position: this.#at, message });
  }

  #take(mark: string): boolean {
    this.#match(SPACE);
    if (this.text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) {
      throw new Stop({ kind: "refused", position: this.#at, code: "too_deep", message: `is nested deeper than ${MAX_DEPTH} levels` });
    }
    if (this.#take("{")) return this.#object(depth);
    if (this.#take("[")) return this.#array(depth);
    const text = this.#match(TEXT);
    if (text !== null) return JSON.parse(text) as string;
    const number = this.#match(NUMBER);
    if (number !== null) return WHOLE.test(number) && !Number.isSafeInteger(Number(number)) ? BigInt(number) : Number(number);
    const word = this.#match(WORD);
    if (word === null) this.#fail(this.#at >= this.text.length ? "the text ends too early" : "expected a value");
    return JSON.parse(word) as boolean | null;
  }

  #array(depth: number): unknown[] {
    const values: unknown[] = [];
    if (this.#take("]")) return values;
    do values.push(this.#value(depth + 1));
    while (this.#take(","));
    if (!this.#take("]")) this.#fail("expected , or ]");
    return values;
  }

  #object(depth: number): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    if (this.#take("}")) return {};
    do {
      this.#match(SPACE);
      const position = this.#at;
      const quoted = this.#match(TEXT);
      if (quoted === null) this.#fail("expected a field name in double quotes");
      const key = JSON.parse(quoted) as string;
      if (fields.has(key)) {
        throw new Stop({
          kind: "refused",
          position,
          code: "duplicate_key",
          message: `the field ${quoted.slice(0, 62)} stands twice; keep one`,
        });
      }
      if (!this.#take(":")) this.#fail("expected :");
      fields.set(key, this.#value(depth + 1));
    } while (this.#take(","));
    if (!this.#take("}")) this.#fail("expected , or }");
    return Object.fromEntries(fields);
  }
}

/**
 * JSON as `JSON.parse` reads it, except that nothing changes silently: an integer beyond 2^53 comes
 * back as a bigint with all its digits, and a field that stands twice is refused.
 */
export function parseJson(text: string): ParsedJson {
  try {
    return { kind: "value", value: new Reader(text).document() };
  } catch (error) {
    if (error instanceof Stop) return error.outcome;
    throw error;
  }
}
