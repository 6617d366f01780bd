import { isErrorCode } from "../errors/code";

export interface CodePlace {
  readonly code: string;
  readonly line: number;
}

const WORD = /(?<![A-Za-z0-9_])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+_\d{1,6}(?![A-Za-z0-9_])/g;

/** What has the form of an error code in a source text, and on which line it stands first. */
export function codesInText(text: string): CodePlace[] {
  const first = new Map<string, number>();
  for (const [index, line] of text.split("\n").entries()) {
    for (const [code] of line.matchAll(WORD)) if (isErrorCode(code) && !first.has(code)) first.set(code, index + 1);
  }
  return [...first].map(([code, line]) => ({ code, line }));
}
