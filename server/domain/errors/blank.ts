import type { Stretch } from "./text-views";

const TEXT_MASK = "***";
/** Unicode keeps it for the inside of a program: no text has it. As long as what it hides, so that places stay. */
export const BLANK = "\ufdd0";

/** The text with these stretches blanked out. */
export function blankOut(text: string, stretches: readonly Stretch[]): string {
  if (stretches.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of [...stretches].sort((a, b) => a.start - b.start)) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    parts.push(text.slice(done, from), BLANK.repeat(end - from));
    done = end;
  }
  return parts.join("") + text.slice(done);
}

const BLANKS = new RegExp(`${BLANK}+`, "g");

/** As it may be seen: one mask for each stretch. */
export const shown = (blanked: string): string => (blanked.includes(BLANK) ? blanked.replace(BLANKS, TEXT_MASK) : blanked);

/** The blanked stretches of a text. */
export const blanksOf = (blanked: string): Stretch[] =>
  blanked.includes(BLANK) ? [...blanked.matchAll(BLANKS)].map(({ 0: run, index }) => ({ start: index, end: index + run.length })) : [];
