import { inWords, type WordLocale } from "../schedule/in-words";
import { nextFires } from "../schedule/next-fires";
import { type CrontabLine, type CrontabOptions, isOffer, type OfferLine, parseCrontab } from "./crontab";
import type { CrontabEntry } from "./crontab-entry";
import { type CrontabNote, note } from "./crontab-note";
import type { CrontabForm } from "./crontab-syntax";
import { claimName, proposeName, proposeTitle } from "./pipeline-title";

/** An entry with all that a person needs to decide about it. */
export interface PreviewEntry extends CrontabEntry {
  readonly words: string;
  /** The next five fires; empty where the zone is unknown. */
  readonly nextFires: readonly Date[];
  /** Proposed name of the pipeline, unique within the file. */
  readonly name: string;
  readonly title: string;
  /** Names what is imported, so that a second import finds the first; null until the zone is known. */
  readonly origin: string | null;
}

export type PreviewOffer = Omit<OfferLine, "entry"> & { readonly entry: PreviewEntry };
export type PreviewLine = Exclude<CrontabLine, OfferLine> | PreviewOffer;

export const isPreviewOffer = (line: PreviewLine): line is PreviewOffer => line.kind === "entry" || line.kind === "commented-entry";

export interface CrontabPreview {
  readonly form: CrontabForm;
  readonly formDetected: boolean;
  readonly defaultZone: string;
  readonly lines: readonly PreviewLine[];
  /** Addresses of MAILTO, offered as the owner's alert address. */
  readonly alertAddresses: readonly string[];
  /** What differs from cron for every entry of the file. */
  readonly notes: readonly CrontabNote[];
  readonly counts: { readonly offered: number; readonly ticked: number; readonly refused: number };
}

export interface PreviewOptions extends CrontabOptions {
  readonly locale: WordLocale;
  readonly now: Date;
}

const NEXT_FIRES = 5;

/** The same entry gives the same text, in whatever file and at whatever line it stands. */
export function originOf(form: CrontabForm, entry: CrontabEntry, zone: string): string {
  return JSON.stringify(["crontab", form, entry.expression, zone, entry.runAs, entry.command, entry.stdin]);
}

function previewEntry(line: OfferLine, form: CrontabForm, names: Set<string>, { locale, now }: PreviewOptions): PreviewEntry {
  const { entry } = line;
  const { expression, zone, command } = entry;
  const fires =
    zone === null ? [] : nextFires({ cron: expression, dialect: "vixie", timezone: zone, gap: "shift", fold: "first" }, now, NEXT_FIRES);
  return {
    ...entry,
    words: inWords(expression, "vixie", locale),
    nextFires: fires,
    name: claimName(proposeName(command, `cron-line-${line.line}`), names),
    title: proposeTitle(command),
    origin: zone === null ? null : originOf(form, entry, zone),
  };
}

function fileNotes(hasMail: boolean): CrontabNote[] {
  const folder = note(
    "working_folder",
    "cron starts a command in the home folder of its user; a worker starts it in a folder of its own, so name files by their full path",
  );
  const mail = note(
    "output_mail",
    "cron mails what a command prints; here it is kept in the run's log, and only a failure alerts the owner",
  );
  return hasMail ? [folder, mail] : [folder];
}

/** Reads a crontab and shows, per line, what an import would make of it. Creates nothing. */
export function previewCrontab(text: string, options: PreviewOptions): CrontabPreview {
  const { form, lines, alertAddresses } = parseCrontab(text, options);
  const names = new Set<string>();
  const shown = lines.map((line): PreviewLine => (isOffer(line) ? { ...line, entry: previewEntry(line, form, names, options) } : line));
  const offers = shown.filter(isPreviewOffer);
  const refused = shown.filter((line) => line.kind === "error" || line.kind === "unsupported");
  return {
    form,
    formDetected: options.form === "auto",
    defaultZone: options.defaultZone,
    lines: shown,
    alertAddresses,
    notes: offers.length === 0 ? [] : fileNotes(alertAddresses.length > 0),
    counts: { offered: offers.length, ticked: offers.filter(({ ticked }) => ticked).length, refused: refused.length },
  };
}
