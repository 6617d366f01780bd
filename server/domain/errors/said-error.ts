import { codeWords } from "./code";

/** What a command says of its failure in its last line: `::apollo-error code=SHORTAGE_409 message="none left" order_id=A-1`. */
export interface SaidError {
  /** As it was written; empty where it gives none. */
  readonly status: string;
  /** Null where the code ends in no number. */
  readonly number: number | null;
  readonly message: string | null;
  readonly retryable: boolean | null;
  readonly retryAfterMs: number | null;
  /** All other pairs; what is no business key of the pipeline is dropped later. */
  readonly context: Readonly<Record<string, string>>;
}

const MARK = "::apollo-error";
const MAX_LINE = 16_000;
const MAX_PAIRS = 40;
const PAIR = /([A-Za-z_][\w.-]{0,63})=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Reads such a line; null where it is none. A pair that cannot be read is passed over: the failure counts, not its form. */
export function readSaidError(line: string): SaidError | null {
  const text = line.trim();
  if (!text.startsWith(MARK) || !/^(?:\s|$)/.test(text.slice(MARK.length))) return null;
  const pairs = new Map<string, string>();
  for (const [, key = "", quoted, plain] of text.slice(MARK.length, MAX_LINE).matchAll(PAIR)) {
    if (pairs.size < MAX_PAIRS && !pairs.has(key)) pairs.set(key, quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "");
  }
  const { code = "", message, retryable, retry_after, ...context } = Object.fromEntries(pairs);
  const [, words = "", number] = /^(.*?)(?:[_\W]?(\d{1,6}))?$/.exec(code) ?? [];
  return {
    status: words,
    number: number === undefined ? null : Number(number),
    message: message || null,
    retryable: retryable === "true" ? true : retryable === "false" ? false : null,
    retryAfterMs: retry_after === undefined ? null : waitOf(retry_after),
    context,
  };
}

function waitOf(text: string): number | null {
  const [, amount, unit = "s"] = /^(\d{1,9})(ms|s|m|h)?$/.exec(text) ?? [];
  return amount === undefined ? null : Math.min(MAX_RETRY_AFTER_MS, Number(amount) * (UNITS[unit] ?? 1_000));
}

/** `TypeError`, `java.lang.IllegalStateException`, `requests.exceptions.Timeout`: what a language calls it, and not what happened. */
const CLASS_NAME = /^(?:[a-z_]\w*(?:\.|::|\\))+[A-Za-z_]\w*$|^(?:[A-Za-z_]\w*(?:\.|::|\\))*[A-Z][A-Za-z0-9]*(?:Error|Exception|Warning)$/;

/**
 * The status words of what a worker said: without the domain and module where it gave the whole code, and never a
 * class's name. Another pipeline's domain is no domain here: what stands before this step's module goes, and where that
 * is not in it either, all of it is status (EXC-1).
 */
export function ownStatus(said: string, domain: string, module: string): string {
  if (CLASS_NAME.test(said.trim())) return "ERROR";
  const words = codeWords(said);
  const [own, step] = [codeWords(domain), codeWords(module)];
  const inDomain = words.startsWith(`${own}_`) ? words.slice(own.length + 1) : words;
  if (inDomain === step) return inDomain;
  const at = `_${inDomain}`.indexOf(`_${step}_`);
  return step !== "" && at >= 0 ? inDomain.slice(at + step.length + 1) : inDomain;
}
