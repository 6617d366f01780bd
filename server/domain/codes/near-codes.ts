import { distance } from "fastest-levenshtein";

export interface NearCode {
  readonly code: string;
  /** `status`: the same fault by another module's name. `spelling`: only a few letters apart. */
  readonly why: "status" | "spelling";
}

/** Every module may have these; that two have them says nothing. */
const COMMON = new Set([
  "TIMEOUT",
  "RATE_LIMIT",
  "VALIDATION",
  "EXIT",
  "HTTP",
  "ERROR",
  "CONNECT",
  "DNS",
  "NETWORK",
  "NOT_FOUND",
  "DEADLOCK",
]);
const MAX_DISTANCE = 2;
const MAX_SHOWN = 5;

const wordsOf = (code: string) => code.split("_").slice(0, -1);
/** Where the module ends is not written in a code: the words after the second are surely status. */
const statusOf = (code: string) => wordsOf(code).slice(2).join("_");

/** Codes that a new one may only repeat, the nearest first (EXC-9). Itself is not among them. */
export function nearCodes(code: string, known: readonly string[]): NearCode[] {
  const status = statusOf(code);
  const [domain] = wordsOf(code);
  const found = known.flatMap((other): (NearCode & { readonly apart: number })[] => {
    if (other === code) return [];
    const apart = distance(code, other);
    if (apart <= MAX_DISTANCE) return [{ code: other, why: "spelling", apart }];
    const isSame = status !== "" && !COMMON.has(status) && statusOf(other) === status && wordsOf(other)[0] === domain;
    return isSame ? [{ code: other, why: "status", apart }] : [];
  });
  return found
    .sort((a, b) => a.apart - b.apart || (a.code < b.code ? -1 : 1))
    .slice(0, MAX_SHOWN)
    .map(({ code: near, why }) => ({ code: near, why }));
}
