import type { AnsiSpan } from "./ansi";
import { plainText } from "./ansi";

/** Lines that hold the text, whatever the case and the colours in them. */
export function matchingLines(lines: readonly { text: string }[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === "") return [];
  return lines.flatMap((line, index) => (plainText(line.text).toLowerCase().includes(wanted) ? [index] : []));
}

export interface MarkedSpan extends AnsiSpan {
  found: boolean;
}

/** Cuts the spans where a match begins and ends, also where it runs over a change of colour. */
export function markSpans(spans: readonly AnsiSpan[], query: string): MarkedSpan[] {
  const wanted = query.toLowerCase();
  const hay = spans
    .map((span) => span.text)
    .join("")
    .toLowerCase();
  if (wanted === "" || !hay.includes(wanted)) return spans.map((span) => ({ ...span, found: false }));
  const inside = (at: number) => {
    const from = hay.lastIndexOf(wanted, at);
    return from >= 0 && at < from + wanted.length;
  };
  const marked: MarkedSpan[] = [];
  let offset = 0;
  for (const span of spans) {
    let from = 0;
    for (let at = 1; at <= span.text.length; at++) {
      const found = inside(offset + at - 1);
      if (at < span.text.length && inside(offset + at) === found) continue;
      marked.push({ ...span, text: span.text.slice(from, at), found });
      from = at;
    }
    offset += span.text.length;
  }
  return marked;
}

/** The match after or before the present one, round the end. */
export function stepMatch(count: number, at: number, step: 1 | -1): number {
  return count === 0 ? -1 : (at + step + count) % count;
}
