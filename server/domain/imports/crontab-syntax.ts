/** The two shapes of a crontab: a user's own, and the system's with a column for the user. */
export const CRONTAB_FORMS = ["user", "system"] as const;
export type CrontabForm = (typeof CRONTAB_FORMS)[number];

/** A line taken apart, before anything is judged. */
export type CrontabSyntax =
  | { readonly kind: "blank" }
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "setting"; readonly name: string; readonly value: string }
  | { readonly kind: "entry"; readonly expression: string; readonly rest: string };

export interface SourceLine {
  /** Counted from 1, as editors do. */
  readonly line: number;
  readonly raw: string;
}

const SETTING = /^(?:"([^"]*)"|'([^']*)'|([A-Za-z_][A-Za-z0-9_]*))\s*=\s*(.*)$/;
const TIME_FIELDS = 5;

/** The lines of a file; line ends of any system and a byte order mark are no part of them. */
export function sourceLines(text: string): SourceLine[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, index) => ({ line: index + 1, raw }));
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted?.[2] ?? value;
}

/** Splits an entry into its time fields and what follows; a nickname is a single field. */
function splitEntry(text: string): CrontabSyntax {
  const nickname = /^(@\S*)\s*(.*)$/.exec(text);
  if (nickname !== null) return { kind: "entry", expression: nickname[1] ?? "", rest: nickname[2] ?? "" };
  const fields: string[] = [];
  let rest = text;
  while (fields.length < TIME_FIELDS && rest !== "") {
    const [, field = "", after = ""] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
    fields.push(field);
    rest = after;
  }
  return { kind: "entry", expression: fields.join(" "), rest };
}

/** Takes one line apart the way cron does: comments only at its start, settings before entries. */
export function readSyntax(raw: string): CrontabSyntax {
  const text = raw.trim();
  if (text === "") return { kind: "blank" };
  if (text.startsWith("#")) return { kind: "comment", text: text.replace(/^#+\s*/, "") };
  const setting = SETTING.exec(text);
  if (setting !== null) {
    const name = setting[1] ?? setting[2] ?? setting[3] ?? "";
    return { kind: "setting", name, value: unquote(setting[4] ?? "") };
  }
  return splitEntry(text);
}
