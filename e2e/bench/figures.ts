/** The middle one; of an even number the mean of both. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** The value that this share of all do not pass. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Differences of neighbours, of instants in their order. */
export function gapsOf(instants: readonly number[]): number[] {
  const sorted = [...instants].sort((a, b) => a - b);
  return sorted.slice(1).map((at, index) => at - (sorted[index] ?? at));
}

/** Milliseconds since 1970, as fine as this machine tells them: comparable over its processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Three figures that mean something. */
export function rounded(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toFixed(Math.min(digits, 6)));
}
