/** The sixteen names of a terminal, by their two shades. */
export const ANSI_COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
export type AnsiColor = (typeof ANSI_COLORS)[number];

export interface AnsiSpan {
  text: string;
  color: AnsiColor | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

type Style = Omit<AnsiSpan, "text">;

const PLAIN: Style = { color: null, bold: false, dim: false, italic: false, underline: false, inverse: false };

// Control sequences (with their parameters), operating-system commands such as links and titles, and lone escapes.
const ESCAPES = /\u001b\[([0-9;:?]*)[ -/]*([@-~])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[@-Z\\-_]?/g;
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** What a terminal would leave of a line on which a progress bar came back to the start. */
const afterReturns = (text: string): string => {
  const line = text.replace(/\r+$/, "");
  return line.slice(line.lastIndexOf("\r") + 1);
};

/** A line as spans of text with a style each. Nothing in it is ever markup; what is no style is left out. */
export function parseAnsi(line: string): AnsiSpan[] {
  const text = afterReturns(line);
  const spans: AnsiSpan[] = [];
  let style = PLAIN;
  let from = 0;
  const add = (part: string) => {
    const seen = part.replace(UNSEEN, "");
    const last = spans.at(-1);
    if (seen === "") return;
    if (last && sameStyle(last, style)) last.text += seen;
    else spans.push({ text: seen, ...style });
  };
  for (const match of text.matchAll(ESCAPES)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === "m") style = styled(style, match[1] ?? "");
  }
  add(text.slice(from));
  return spans;
}

export const plainText = (line: string): string => afterReturns(line).replace(ESCAPES, "").replace(UNSEEN, "");

const sameStyle = (a: Style, b: Style) =>
  a.color === b.color &&
  a.bold === b.bold &&
  a.dim === b.dim &&
  a.italic === b.italic &&
  a.underline === b.underline &&
  a.inverse === b.inverse;

function styled(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let style = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const wide = extended(codes.slice(at + 1));
      at += wide.used;
      if (code === 38) style = { ...style, color: wide.color };
    } else style = oneCode(style, code);
  }
  return style;
}

function oneCode(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, color: ANSI_COLORS[code - 30] ?? null };
  if (code >= 90 && code <= 97) return { ...style, color: ANSI_COLORS[code - 90] ?? null };
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 39:
      return { ...style, color: null };
    default:
      return style;
  }
}

/** `5;n` and `2;r;g;b`: the nearest of the eight names, which have a readable shade in both themes. */
function extended(rest: readonly number[]): { color: AnsiColor | null; used: number } {
  if (rest[0] === 2) return { color: nearest(rest[1] ?? 0, rest[2] ?? 0, rest[3] ?? 0), used: 4 };
  const n = rest[1] ?? 0;
  if (n < 16) return { color: ANSI_COLORS[n % 8] ?? null, used: 2 };
  if (n >= 232) return { color: n > 243 ? "white" : "black", used: 2 };
  const level = (digit: number) => (digit === 0 ? 0 : 55 + digit * 40);
  return { color: nearest(level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)), used: 2 };
}

function nearest(r: number, g: number, b: number): AnsiColor {
  const most = Math.max(r, g, b);
  const grey = most - Math.min(r, g, b) < 24;
  if (grey) return most > 128 ? "white" : "black";
  const bits = [r, g, b].reduce((sum, part, bit) => sum + (part > most * 0.55 ? 1 << bit : 0), 0);
  return ANSI_COLORS[bits] ?? "white";
}
