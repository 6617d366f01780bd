import type { RunEventView } from "../views";

/** A claim takes its number first and may be committed after what came later; no commit takes nearly this long. */
const OVERLAP_MS = 10_000;

/** From where to read on: so far back that nothing which was committed late is missed. Null is from the start. */
export function tailCursor(events: readonly RunEventView[]): string | null {
  const newest = events.reduce((latest, { at }) => Math.max(latest, at.getTime()), 0);
  const settled = events.findIndex(({ at }) => at.getTime() > newest - OVERLAP_MS);
  return events[settled - 1]?.id ?? null;
}

/** Both in the order of their numbers, each once. */
export function mergeEvents(known: readonly RunEventView[], page: readonly RunEventView[]): readonly RunEventView[] {
  const ids = new Set(known.map(({ id }) => id));
  const added = page.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return known;
  return [...known, ...added].sort((a, b) => Number(a.id) - Number(b.id));
}
