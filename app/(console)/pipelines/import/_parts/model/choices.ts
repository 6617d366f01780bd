import { isOffer, type Offer, type Preview, type PreviewLine } from "../views";

/** What a person has decided about the lines of a preview. */
export interface Choices {
  readonly ticked: ReadonlySet<number>;
  /** Zones that they named for lines whose own does not exist. */
  readonly zones: Readonly<Record<number, string>>;
  readonly names: Readonly<Record<number, string>>;
}

export type ChoiceChange =
  | { readonly kind: "tick"; readonly line: number; readonly on: boolean }
  | { readonly kind: "tickAll"; readonly lines: readonly number[]; readonly on: boolean }
  | { readonly kind: "zone"; readonly line: number; readonly zone: string }
  | { readonly kind: "name"; readonly line: number; readonly name: string }
  | { readonly kind: "begin"; readonly preview: Preview };

const knownLines = ({ existing }: Preview): ReadonlySet<number> => new Set(existing.map(({ line }) => line));

/** What the preview ticks, without what an earlier import has made. */
export function firstChoices(preview: Preview): Choices {
  const known = knownLines(preview);
  const ticked = preview.lines.filter((line) => isOffer(line) && line.ticked && !known.has(line.line)).map(({ line }) => line);
  return { ticked: new Set(ticked), zones: {}, names: {} };
}

export function choose(choices: Choices, change: ChoiceChange): Choices {
  switch (change.kind) {
    case "begin":
      return firstChoices(change.preview);
    case "tick":
    case "tickAll": {
      const ticked = new Set(choices.ticked);
      for (const line of change.kind === "tick" ? [change.line] : change.lines) {
        if (change.on) ticked.add(line);
        else ticked.delete(line);
      }
      return { ...choices, ticked };
    }
    case "zone":
      return { ...choices, zones: { ...choices.zones, [change.line]: change.zone } };
    case "name":
      return { ...choices, names: { ...choices.names, [change.line]: change.name } };
  }
}

/** Lines that may be ticked: offers that are not here already. */
export function offersOf(preview: Preview): readonly Offer[] {
  const known = knownLines(preview);
  return preview.lines.filter(isOffer).filter(({ line }) => !known.has(line));
}

/** Ticked lines that still lack the zone that only a person can name. */
export const lackingZone = (preview: Preview, choices: Choices): readonly number[] =>
  offersOf(preview)
    .filter(({ line, importable }) => choices.ticked.has(line) && !importable && (choices.zones[line] ?? "").trim() === "")
    .map(({ line }) => line);

/** As the server takes it. */
export function selectionOf(preview: Preview, choices: Choices) {
  return offersOf(preview)
    .filter(({ line }) => choices.ticked.has(line))
    .map(({ line, importable, entry }) => {
      const zone = choices.zones[line]?.trim();
      const name = choices.names[line]?.trim();
      return { line, ...(importable || !zone ? {} : { zone }), ...(name && name !== entry.name ? { name } : {}) };
    });
}

export const SIGHTS = ["all", "entries", "look"] as const;
export type Sight = (typeof SIGHTS)[number];

/** Whether a person should read the line before importing: something is refused, lost, doubtful or double. */
export function wantsLook(line: PreviewLine): boolean {
  if (line.kind === "error" || line.kind === "unsupported") return true;
  if (line.kind === "env") return line.warnings.length > 0;
  return isOffer(line) && (!line.importable || line.duplicateOf !== null || line.warnings.length + line.notCarriedOver.length > 0);
}

export const isShown = (line: PreviewLine, sight: Sight): boolean =>
  sight === "all" || (sight === "entries" ? isOffer(line) : wantsLook(line));
