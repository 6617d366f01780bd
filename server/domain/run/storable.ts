import { plainJson } from "../canonical-json";
import { platformFailure } from "./platform-failure";
import { type AttemptReport, MAX_OUTPUT_BYTES } from "./work";

const NUL_OR_HALF = /\u0000|\p{Surrogate}/u;

/** Deeper than any JSON that a person reads, and far below where a parser's stack ends. */
const MAX_DEPTH = 200;

/** What keeps a value out of jsonb; null if nothing does. */
function unstorable(value: unknown, depth = 0): string | null {
  if (typeof value === "string") return NUL_OR_HALF.test(value) ? "a NUL or half of a surrogate pair" : null;
  if (typeof value !== "object" || value === null) return null;
  if (depth >= MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
  for (const [key, child] of Object.entries(value)) {
    const found = unstorable(key) ?? unstorable(child, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/**
 * A report as the database can keep it. A success whose output cannot be kept as it is becomes a failure: changed or cut, it
 * would be a success with other data (B78, B81). In what only tells of an attempt, such text is marked instead.
 */
export function storableReport(report: AttemptReport): AttemptReport {
  const told = { ...report, inputs: plainJson(report.inputs), response: report.response ? record(report.response) : null };
  switch (told.kind) {
    case "succeeded":
      return judgedOutput(told);
    case "failed":
    case "timedOut": {
      const { failure } = told;
      const text = (value: string) => String(plainJson(value));
      const stack = failure.stack === null ? null : text(failure.stack);
      return { ...told, failure: { ...failure, message: text(failure.message), stack, context: record(failure.context) } };
    }
    case "handedBack":
      return told;
  }
}

const record = <T>(value: Readonly<Record<string, T>>) => plainJson(value) as Record<string, T>;

function judgedOutput(report: AttemptReport & { kind: "succeeded" }): AttemptReport {
  const judged = judgeOutput(report.output);
  return judged.ok
    ? { ...report, output: judged.value }
    : { ...report, kind: "failed", failure: platformFailure(judged.fault, judged.message) };
}

export type JudgedOutput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: "outputInvalid" | "outputTooLarge"; readonly message: string };

/** Whether an output can be kept as it is; what JSON leaves out, such as undefined, is left out. */
export function judgeOutput(output: unknown): JudgedOutput {
  const found = unstorable(output);
  if (found !== null) {
    return { ok: false, fault: "outputInvalid", message: `the output holds ${found}, which cannot be stored; give it in another form` };
  }
  const text = JSON.stringify(output) ?? "null";
  const bytes = utf8Length(text);
  if (bytes > MAX_OUTPUT_BYTES) {
    const message = `the output has ${bytes} bytes, more than the ${MAX_OUTPUT_BYTES} that a node may give; pass a reference to the data instead`;
    return { ok: false, fault: "outputTooLarge", message };
  }
  return { ok: true, value: JSON.parse(text) };
}

/** Bytes of a text in UTF-8, without an encoder: the domain runs in browsers too. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
