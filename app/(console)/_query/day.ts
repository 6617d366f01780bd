import { Temporal } from "temporal-polyfill";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The calendar day of an instant in a zone, as `2026-03-01`. */
export const dayOf = (atMs: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone).toPlainDate().toString();

/** A day that an address names; null where it is none. */
export function readDay(text: string): string | null {
  if (!DAY.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" }).toString();
  } catch {
    return null;
  }
}

export const shiftDay = (day: string, days: number): string => Temporal.PlainDate.from(day).add({ days }).toString();

/** From its first instant to the next day's: 23 or 25 hours where the clocks change. */
export function dayBounds(day: string, zone: string): { from: Date; to: Date } {
  const startOf = (date: string) => new Date(Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds);
  return { from: startOf(day), to: startOf(shiftDay(day, 1)) };
}
