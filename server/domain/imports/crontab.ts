import { DomainError } from "../failure";
import { checkZone } from "../schedule/zone";
import { type CrontabEntry, type EntryOutcome, readEntry } from "./crontab-entry";
import { detectForm } from "./crontab-form";
import { type CrontabNote, note } from "./crontab-note";
import { applySetting, type CrontabSettings, startSettings } from "./crontab-settings";
import { type CrontabForm, readSyntax, type SourceLine, sourceLines } from "./crontab-syntax";

export type CrontabLine =
  | (SourceLine & { readonly kind: "blank" | "comment" })
  | (SourceLine & { readonly kind: "env"; readonly name: string; readonly value: string; readonly warnings: readonly CrontabNote[] })
  | OfferLine
  | (SourceLine & { readonly kind: "unsupported" | "error"; readonly reasons: readonly CrontabNote[] });

/** An entry as it is offered for import. */
export interface OfferLine extends SourceLine {
  readonly kind: "entry" | "commented-entry";
  readonly entry: CrontabEntry;
  readonly warnings: readonly CrontabNote[];
  /** What of the line will be different after the import, and why. */
  readonly notCarriedOver: readonly CrontabNote[];
  /** The first line that says the same. */
  readonly duplicateOf: number | null;
  /** False where the entry lacks a zone: it can be imported only with one that a person names. */
  readonly importable: boolean;
  /** Whether the import takes it unless a person says otherwise. */
  readonly ticked: boolean;
}

export interface Crontab {
  readonly form: CrontabForm;
  readonly lines: readonly CrontabLine[];
  /** Addresses that cron would mail to, offered as the owner's alert address. */
  readonly alertAddresses: readonly string[];
}

export interface CrontabOptions {
  /** `auto` looks at the file. */
  readonly form: CrontabForm | "auto";
  /** Zone of entries before the first `CRON_TZ`. */
  readonly defaultZone: string;
}

export const MAX_CRONTAB_LINES = 5_000;
const MAX_LINE = 8_000;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

interface Walk {
  readonly form: CrontabForm;
  settings: CrontabSettings;
  readonly seen: CrontabLine[];
  /** Entries by all but their zone: few share it, so that a long file is read in a time that grows with its length alone. */
  readonly alike: Map<string, OfferLine[]>;
}

const likeness = ({ expression, command, stdin, runAs }: CrontabEntry) => JSON.stringify([expression, command, stdin, runAs]);
const isSameZone = (a: CrontabEntry, b: CrontabEntry) => a.zone === b.zone || a.zone === null || b.zone === null;

function offer(
  source: SourceLine,
  kind: "entry" | "commented-entry",
  outcome: Extract<EntryOutcome, { kind: "entry" }>,
  walk: Walk,
): CrontabLine {
  const { entry, warnings, notCarriedOver } = outcome;
  const alike = walk.alike.get(likeness(entry)) ?? [];
  const original = alike.find((line) => isSameZone(line.entry, entry));
  const duplicateOf = original?.line ?? null;
  const importable = entry.zone !== null;
  const ticked = importable && kind === "entry" && duplicateOf === null;
  return { ...source, kind, entry, warnings, notCarriedOver, duplicateOf, importable, ticked };
}

function readComment(source: SourceLine, text: string, walk: Walk): CrontabLine {
  const syntax = readSyntax(text);
  if (syntax.kind !== "entry" || !/^[\d*@]/.test(text) || refuseText(source) !== null) return { ...source, kind: "comment" };
  const outcome = readEntry({ ...syntax, text }, walk.form, walk.settings);
  return outcome.kind === "entry" ? offer(source, "commented-entry", outcome, walk) : { ...source, kind: "comment" };
}

/** What no definition can hold, whatever the line means. */
function refuseText({ raw }: SourceLine): CrontabNote | null {
  if (CONTROL.test(raw)) return note("control_character", "the line holds a control character, such as NUL; remove it");
  if (raw.length <= MAX_LINE) return null;
  return note("too_long", `the line has ${raw.length} characters; the limit is ${MAX_LINE}`, { count: raw.length, limit: MAX_LINE });
}

function readLine(source: SourceLine, walk: Walk): CrontabLine {
  const syntax = readSyntax(source.raw);
  const refusal = syntax.kind === "blank" || syntax.kind === "comment" ? null : refuseText(source);
  if (refusal !== null) return { ...source, kind: "error", reasons: [refusal] };
  switch (syntax.kind) {
    case "blank":
      return { ...source, kind: "blank" };
    case "comment":
      return readComment(source, syntax.text, walk);
    case "setting": {
      const { name, value } = syntax;
      const { settings, warnings, refusal } = applySetting(walk.settings, source.line, name, value);
      walk.settings = settings;
      return refusal === null ? { ...source, kind: "env", name, value, warnings } : { ...source, kind: "error", reasons: [refusal] };
    }
    case "entry": {
      const outcome = readEntry({ ...syntax, text: source.raw.trim() }, walk.form, walk.settings);
      return outcome.kind === "entry" ? offer(source, "entry", outcome, walk) : { ...source, kind: outcome.kind, reasons: outcome.reasons };
    }
  }
}

function keep(line: CrontabLine, walk: Walk): void {
  walk.seen.push(line);
  if (!isOffer(line) || line.kind !== "entry") return;
  const key = likeness(line.entry);
  const alike = walk.alike.get(key);
  if (alike) alike.push(line);
  else walk.alike.set(key, [line]);
}

function addressesIn(lines: readonly CrontabLine[]): string[] {
  const values = lines.flatMap((line) => (line.kind === "env" && line.name === "MAILTO" ? line.value.split(",") : []));
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ""))];
}

export const isOffer = (line: CrontabLine): line is OfferLine => line.kind === "entry" || line.kind === "commented-entry";

/** Reads a crontab line by line; nothing is dropped: what cannot be imported says why. */
export function parseCrontab(text: string, options: CrontabOptions): Crontab {
  const zone = checkZone(options.defaultZone);
  if (!zone.ok)
    throw new DomainError("invalid_input", zone.message, {
      issues: [{ path: "defaultZone", code: "unknown_zone", message: zone.message }],
    });
  const sources = sourceLines(text);
  if (sources.length > MAX_CRONTAB_LINES) {
    throw new DomainError("too_large", `the crontab has ${sources.length} lines; import at most ${MAX_CRONTAB_LINES} at a time`);
  }
  const form = options.form === "auto" ? detectForm(sources) : options.form;
  const walk: Walk = { form, settings: startSettings(zone.zone), seen: [], alike: new Map() };
  for (const source of sources) keep(readLine(source, walk), walk);
  return { form, lines: walk.seen, alertAddresses: addressesIn(walk.seen) };
}
