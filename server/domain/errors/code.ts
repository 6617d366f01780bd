/** Error codes in three levels, upper snake case, ending in a number: `ORDER_INVENTORY_SHORTAGE_409` (EXC-1). */
export const MAX_CODE_LENGTH = 64;
const MAX_NUMBER = 999_999;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_\d{1,6}$/;

export const isErrorCode = (text: string): boolean => text.length <= MAX_CODE_LENGTH && CODE.test(text) && text.split("_").length >= 3;

export interface CodeParts {
  /** Injected by the pipeline; a worker cannot change it. */
  readonly domain: string;
  /** Declared by the step. */
  readonly module: string;
  /** The specific fault, in words. */
  readonly status: string;
  readonly number: number;
}

/** Upper snake case of a text in any writing: `tooLarge`, `too large` and `too-large` are `TOO_LARGE`. */
export function codeWords(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/**
 * The full code of a fault. What does not fit is cut from the module first and then from the status, whole words where
 * it can be; the domain and the number always stay.
 */
export function composeCode(parts: CodeParts): string {
  const number = String(Math.min(MAX_NUMBER, Math.max(0, Math.trunc(parts.number))));
  const domain = startsWithLetter(codeWords(parts.domain)) || "UNKNOWN";
  const room = MAX_CODE_LENGTH - domain.length - number.length - 3;
  const status = cut(codeWords(parts.status) || "ERROR", room - 1);
  const module = cut(codeWords(parts.module) || "STEP", room - status.length);
  return [domain, module, status, number].join("_");
}

const startsWithLetter = (words: string) =>
  words
    .replace(/^[0-9_]+/, "")
    .slice(0, 32)
    .replace(/_+$/, "");

function cut(words: string, length: number): string {
  if (words.length <= length) return words;
  const head = words.slice(0, Math.max(1, length));
  const end = words[length] === "_" ? head.length : head.lastIndexOf("_");
  return (end > 0 ? head.slice(0, end) : head).replace(/_+$/, "") || "X";
}

/** Codes of the platform itself: they name no pipeline, since no author's code is to blame. */
export const PLATFORM_CODES = {
  inputTooLarge: "APOLLO_INPUT_TOO_LARGE_413",
  inputUnresolved: "APOLLO_INPUT_UNRESOLVED_422",
  secretUnavailable: "APOLLO_SECRET_UNAVAILABLE_424",
  targetRefused: "APOLLO_TARGET_FORBIDDEN_403",
  outputTooLarge: "APOLLO_OUTPUT_TOO_LARGE_413",
  outputInvalid: "APOLLO_OUTPUT_INVALID_422",
  taskUnknown: "APOLLO_TASK_UNKNOWN_404",
  worker: "APOLLO_WORKER_FAULT_500",
  outOfMemory: "WORKER_OOM_137",
} as const;
