import { PLATFORM_CODES } from "@/server/domain/errors/code";
import { parseJson } from "@/server/domain/pipeline/parse-json";
import { toPlainTree } from "@/server/domain/pipeline/plain-tree";
import { MAX_OUTPUT_BYTES } from "@/server/domain/run/work";
import type { Fault } from "./fault";

export type AcceptedOutput =
  | { readonly kind: "accepted"; readonly output: unknown; readonly notes: readonly string[] }
  | { readonly kind: "refused"; readonly fault: Fault };

const MAX_NOTES = 5;

/** The output of an attempt from its JSON text, byte for byte or refused: never another value, never cut (B78, B80, B81). */
export function acceptJson(text: string): AcceptedOutput {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_OUTPUT_BYTES) return { kind: "refused", fault: outputTooLarge(bytes) };
  const parsed = parseJson(text);
  if (parsed.kind !== "value")
    return { kind: "refused", fault: outputInvalid(`is no JSON: ${parsed.message} at character ${parsed.position}`) };
  return acceptValue(parsed.value);
}

/** The output as a value: texts that no database can hold are refused, integers beyond 2^53 become texts with a note. */
export function acceptValue(value: unknown): AcceptedOutput {
  const notes: string[] = [];
  const tree = toPlainTree(exactIntegers(value, "", notes));
  const [issue] = tree.issues;
  if (issue) return { kind: "refused", fault: outputInvalid(`${issue.path === "" ? "" : `${issue.path} `}${issue.message}`) };
  const bytes = Buffer.byteLength(JSON.stringify(tree.value));
  if (bytes > MAX_OUTPUT_BYTES) return { kind: "refused", fault: outputTooLarge(bytes) };
  return { kind: "accepted", output: tree.value, notes };
}

export const outputTooLarge = (bytes: number | null): Fault => ({
  code: PLATFORM_CODES.outputTooLarge,
  message: `The output is ${bytes === null ? "" : `${bytes} bytes, `}larger than the ${MAX_OUTPUT_BYTES} bytes that a node may hand on. Store it elsewhere and hand on where it is.`,
  retryable: false,
});

export const outputInvalid = (problem: string): Fault => ({
  code: PLATFORM_CODES.outputInvalid,
  message: `The output ${problem}.`,
  retryable: false,
});

function exactIntegers(value: unknown, path: string, notes: string[]): unknown {
  if (typeof value === "bigint") {
    if (notes.length < MAX_NOTES)
      notes.push(`${path || "the output"} = ${value} is beyond 2^53 and was kept as text, so that no digit is lost`);
    return value.toString();
  }
  if (Array.isArray(value)) return value.map((item, index) => exactIntegers(item, `${path}[${index}]`, notes));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, exactIntegers(item, path === "" ? key : `${path}.${key}`, notes)]),
  );
}
