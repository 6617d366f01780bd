import { parseCron } from "../schedule/cron";
import { splitCommand, trailingComment } from "./crontab-command";
import { type CrontabNote, cronNote, note } from "./crontab-note";
import { type CrontabSettings, DEFAULT_SHELL } from "./crontab-settings";
import type { CrontabForm } from "./crontab-syntax";

/** One entry, with all that the lines above it set. */
export interface CrontabEntry {
  readonly expression: string;
  /** Null where `CRON_TZ` names a zone that does not exist. */
  readonly zone: string | null;
  /** True where no `CRON_TZ` stands above: the zone is the importer's. */
  readonly zoneAssumed: boolean;
  readonly command: string;
  readonly stdin: string | null;
  /** The user column of the system form. */
  readonly runAs: string | null;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
}

export type EntryOutcome =
  | {
      readonly kind: "entry";
      readonly entry: CrontabEntry;
      readonly warnings: readonly CrontabNote[];
      readonly notCarriedOver: readonly CrontabNote[];
    }
  | { readonly kind: "unsupported" | "error"; readonly reasons: readonly CrontabNote[] };

interface EntryText {
  readonly expression: string;
  readonly rest: string;
  readonly text: string;
}

const refused = (...reasons: CrontabNote[]): EntryOutcome => ({ kind: "error", reasons });

function refuseTime({ expression, rest, text }: EntryText): EntryOutcome {
  if (/^@reboot$/i.test(expression)) {
    const message = "@reboot names a machine's start, not a time, so it is not carried over; start the pipeline by hand or through the API";
    return { kind: "unsupported", reasons: [note("reboot", message, { command: rest })] };
  }
  const fields = expression.split(" ");
  const [lastField = ""] = fields.slice(4);
  const isFour =
    fields.length === 5 && /[^\dA-Za-z*,/-]|^\/./.test(lastField) && parseCron([...fields.slice(0, 4), "*"].join(" "), "vixie").ok;
  if (isFour || (fields.length === 4 && parseCron(`${expression} *`, "vixie").ok)) {
    return refused(
      note("four_fields", "only four time fields stand before the command; cron needs five: minute hour day month weekday", { text }),
    );
  }
  if (fields.length < 5 && !expression.startsWith("@")) {
    return refused(note("not_an_entry", "neither a setting nor an entry: an entry has five time fields and a command", { text }));
  }
  const parsed = parseCron(expression, "vixie");
  return refused(...(parsed.ok ? [] : parsed.issues.map(cronNote)));
}

/** The user column and the command behind it. */
function splitUser(rest: string, form: CrontabForm): { runAs: string | null; text: string } | null {
  if (form === "user") return { runAs: null, text: rest };
  const [, runAs = "", text = ""] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
  return text === "" ? null : { runAs, text };
}

function commandWarnings(command: string): CrontabNote[] {
  const warnings: CrontabNote[] = [];
  if (/^[*\d/,-]+\s/.test(command)) {
    warnings.push(
      note("six_fields", `the command begins with "${command.split(/\s/)[0]}", as if the line had six time fields; cron reads five`, {
        command,
      }),
    );
  }
  const comment = trailingComment(command);
  if (comment !== null) {
    warnings.push(
      note("trailing_comment", `"${comment}" is no comment to cron: it is part of the command, and the shell decides what it means`, {
        comment,
      }),
    );
  }
  return warnings;
}

function zoneNotes({ zone }: CrontabSettings): CrontabNote[] {
  if (zone.zone !== null || zone.line === null) return [];
  const message = `line ${zone.line} asks for the time zone ${zone.written}, which does not exist: name a zone for this entry, or correct line ${zone.line}`;
  return [note("zone_of_line", message, { line: zone.line, zone: zone.written })];
}

function runAsNotes(runAs: string | null): CrontabNote[] {
  if (runAs === null) return [];
  return [
    note("run_as", `cron runs it as ${runAs}; a worker runs commands as its own user, so start a worker of that user if it matters`, {
      user: runAs,
    }),
  ];
}

/** Judges one entry with the settings above it. */
export function readEntry(source: EntryText, form: CrontabForm, settings: CrontabSettings): EntryOutcome {
  // Some systems take a leading - as "do not log"; the time behind it is an ordinary one.
  const hasLogFlag = /^-[\d*]/.test(source.expression);
  const expression = hasLogFlag ? source.expression.slice(1) : source.expression;
  const parsed = parseCron(expression, "vixie");
  if (!parsed.ok) return refuseTime({ ...source, expression });
  if (source.rest === "") return refused(note("no_command", "no command stands behind the time fields", { text: source.text }));
  const split = splitUser(source.rest, form);
  if (split === null) {
    return refused(note("no_user", "the system form needs a user and a command behind the time fields", { text: source.text }));
  }
  const { command, stdin } = splitCommand(split.text);
  if (command === "") return refused(note("no_command", "no command stands before the first %", { text: source.text }));
  const { zone, variables } = settings;
  const entry: CrontabEntry = {
    expression: parsed.cron.source,
    zone: zone.zone,
    zoneAssumed: zone.line === null,
    command,
    stdin,
    runAs: split.runAs,
    shell: variables.SHELL || DEFAULT_SHELL,
    env: variables,
  };
  const logFlag = hasLogFlag ? [note("log_flag", "the leading - only keeps cron from logging the line; it has no meaning here")] : [];
  return {
    kind: "entry",
    entry,
    warnings: [...parsed.warnings.map(cronNote), ...commandWarnings(command)],
    notCarriedOver: [...zoneNotes(settings), ...runAsNotes(split.runAs), ...logFlag],
  };
}
