import { z } from "zod";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const WHOLE = /^(?:\d+(?:ms|s|m|h|d))+$/;
const PART = /(\d+)(ms|s|m|h|d)/g;

/** The longest duration that a definition may state: 366 days. */
export const MAX_DURATION_MS = 366 * UNIT_MS.d;

/** Milliseconds of a duration such as `2500ms`, `10m` or `1h30m`; null if the text is not one. */
export function parseDuration(text: string): number | null {
  if (!WHOLE.test(text)) return null;
  let ms = 0;
  for (const [, amount, unit] of text.matchAll(PART)) ms += Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms <= MAX_DURATION_MS ? ms : null;
}

/** Milliseconds of a duration that a schema has already accepted. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) throw new RangeError(`"${text}" is not a duration; write it like 2500ms, 10m or 1h30m, at most 366d`);
  return ms;
}

/** The shortest text that parses back to the same milliseconds: 5400000 → `1h30m`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return "0ms";
  let rest = ms;
  const parts: string[] = [];
  for (const unit of ["d", "h", "m", "s", "ms"] as const) {
    const amount = Math.floor(rest / UNIT_MS[unit]);
    if (amount > 0) parts.push(`${amount}${unit}`);
    rest -= amount * UNIT_MS[unit];
  }
  return parts.join("");
}

export const durationSchema = z
  .string()
  .max(32)
  .refine((text) => parseDuration(text) !== null, { error: "not a duration; write it like 2500ms, 10m or 1h30m, at most 366d" });
