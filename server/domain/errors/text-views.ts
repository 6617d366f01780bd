/**
 * A text as a reader behind it would see it, with the place of each stretch in the text that was given: escapes are
 * undone, or line breaks left out. Stretches between two joints stand as they were.
 */
export interface TextView {
  readonly text: string;
  /** What was replaced: where its stand-in begins here, how long that is, and where it stood in the given text. */
  readonly joints: readonly Joint[];
}

interface Joint {
  readonly at: number;
  readonly length: number;
  readonly from: number;
  readonly to: number;
}

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const LETTERS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" };
/** Percent and quoted bytes come in runs, since a letter may be several of them; a backslash may have been doubled on its way. */
const ESCAPES =
  /(?:%[0-9a-f]{2})+|\\+u\{[0-9a-f]{1,6}\}|\\+u[0-9a-f]{4}|(?:\\+x[0-9a-f]{2})+|\\+[nrtbfv"'/\\]|&#0*\d{1,7};|&#x0*[0-9a-f]{1,6};|&(?:amp|lt|gt|quot|apos|nbsp);|[\uff01-\uff5e]/gi;
const SIGNS = /[%\\&\uff01-\uff5e]/;
const BREAKS = /[ \t]*(?:\r?\n|\r)[ \t]*/g;
/** An escape of an escape of an escape; nobody writes a fourth by mistake. */
const MAX_DEPTH = 3;

/** The given text and each view of it, the given one first. */
export function viewsOf(text: string): TextView[] {
  const views: TextView[] = [{ text, joints: [] }];
  for (let last = views[0]; last !== undefined && views.length <= MAX_DEPTH && SIGNS.test(last.text); ) {
    const next: TextView = rewrite(last, ESCAPES, readable);
    if (next.text === last.text) break;
    views.push(next);
    last = next;
  }
  return views;
}

/** A view without its line breaks: what was split over lines stands together. */
export const joined = (view: TextView): TextView => rewrite(view, BREAKS, () => []);

/** Where a stretch of a view stands in the given text. */
export const sourceOf = ({ joints }: TextView, start: number, end: number): Stretch => ({
  start: placeIn(joints, start, false),
  end: placeIn(joints, end, true),
});

/** An end that lies within a stand-in is that of all it stands for; so is one right behind it, but not one right before it. */
function placeIn(joints: readonly Joint[], at: number, isEnd: boolean): number {
  let low = 0;
  let high = joints.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const joint = joints[middle];
    if (joint !== undefined && (isEnd ? joint.at < at : joint.at <= at)) low = middle + 1;
    else high = middle;
  }
  const joint = joints[low - 1];
  if (!joint) return at;
  const behind = at - joint.at - joint.length;
  if (behind >= 0) return joint.to + behind;
  return isEnd ? joint.to : joint.from;
}

/** Replaces what matches; the joints of the new view lead straight to the given text. */
function rewrite(view: TextView, pattern: RegExp, readOf: (match: string) => readonly Read[]): TextView {
  const parts: string[] = [];
  const joints: Joint[] = [];
  let length = 0;
  let done = 0;
  let old = 0;
  const keep = (to: number) => {
    for (let joint = view.joints[old]; joint !== undefined && joint.at < to; joint = view.joints[++old]) {
      if (joint.at >= done) joints.push({ ...joint, at: length + joint.at - done });
    }
    parts.push(view.text.slice(done, to));
    length += to - done;
    done = to;
  };
  for (const match of view.text.matchAll(pattern)) {
    keep(match.index);
    let from = match.index;
    const reads = readOf(match[0]);
    const all = reads.length > 0 ? reads : [{ text: "", length: match[0].length }];
    for (const read of all) {
      const source = sourceOf(view, from, from + read.length);
      joints.push({ at: length, length: read.text.length, from: source.start, to: source.end });
      parts.push(read.text);
      length += read.text.length;
      from += read.length;
    }
    done = match.index + match[0].length;
  }
  if (done === 0) return view;
  keep(view.text.length);
  return { text: parts.join(""), joints };
}

/** What one or more characters of an escape stand for, and how many they are. */
interface Read {
  readonly text: string;
  readonly length: number;
}

function readable(match: string): Read[] {
  if (match.startsWith("%")) return bytesOf(match, /%([0-9a-f]{2})/gi);
  if (match.startsWith("&")) return [{ text: entityOf(match), length: match.length }];
  if (!match.startsWith("\\")) return [{ text: String.fromCharCode(match.charCodeAt(0) - 0xfee0), length: 1 }];
  const said = match.replace(/^\\+/, "");
  if (/^x/i.test(said)) return bytesOf(match, /\\+x([0-9a-f]{2})/gi);
  if (/^u/i.test(said) && said.length > 1) return [{ text: pointOf(said.replace(/^u\{?|\}$/gi, ""), 16), length: match.length }];
  return [{ text: said === "" ? "\\" : (LETTERS[said] ?? said), length: match.length }];
}

/** Bytes as the letters that they are in UTF-8; what is none is the letter of its number. */
function bytesOf(match: string, each: RegExp): Read[] {
  const bytes = [...match.matchAll(each)].map(([whole, hex = "0"]) => ({ length: whole.length, value: Number.parseInt(hex, 16) }));
  const reads: Read[] = [];
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at]?.value ?? 0;
    const count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    const run = bytes.slice(at, at + count);
    const isLetter = count > 1 && run.length === count && run.every(({ value }, index) => index === 0 || (value & 0xc0) === 0x80);
    const used = isLetter ? run : run.slice(0, 1);
    const text = isLetter ? new TextDecoder().decode(Uint8Array.from(run, ({ value }) => value)) : String.fromCharCode(lead);
    reads.push({ text, length: used.reduce((sum, { length }) => sum + length, 0) });
    at += used.length;
  }
  return reads;
}

function entityOf(match: string): string {
  const name = match.slice(1, -1).toLowerCase();
  if (name.startsWith("#x")) return pointOf(name.slice(2), 16);
  return name.startsWith("#") ? pointOf(name.slice(1), 10) : (NAMED[name] ?? match);
}

function pointOf(digits: string, base: number): string {
  const point = Number.parseInt(digits, base);
  return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
}
