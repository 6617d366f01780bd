/** Faces of a run, in the order of the switch and of their keys. */
export const FACES = ["graph", "gantt", "table", "timeline"] as const;
export type Face = (typeof FACES)[number];
export const isFace = (value: string | null): value is Face => FACES.some((face) => face === value);

/** The neighbour in a list; from nowhere the first or the last. */
export function neighbour(keys: readonly string[], at: string | null, step: 1 | -1): string | null {
  const index = at === null ? -1 : keys.indexOf(at);
  if (index < 0) return (step === 1 ? keys[0] : keys.at(-1)) ?? null;
  return keys[Math.max(0, Math.min(keys.length - 1, index + step))] ?? null;
}
