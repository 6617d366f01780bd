import { Temporal } from "temporal-polyfill";

export type ZoneResult = { readonly ok: true; readonly zone: string } | { readonly ok: false; readonly message: string };

const HINT = "use an IANA name such as Asia/Shanghai, Europe/Paris or UTC";

/**
 * Judges a time zone: IANA names and links are taken, in their usual spelling; a fixed offset is
 * refused, since it knows nothing of daylight saving.
 */
export function checkZone(zone: string): ZoneResult {
  const name = zone.trim();
  if (name === "") return { ok: false, message: `the time zone is empty; ${HINT}` };
  if (/^(?:(?:UTC|GMT)?[+-]\d|Z$)/i.test(name)) {
    return { ok: false, message: `"${name}" is a fixed offset, which would ignore daylight saving; ${HINT}` };
  }
  try {
    // The formatter knows the runtime's own zone data; Temporal restores the spelling without following links.
    new Intl.DateTimeFormat("en", { timeZone: name });
    return { ok: true, zone: Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId };
  } catch (error) {
    if (error instanceof RangeError)
      return { ok: false, message: `"${name.slice(0, 64)}" is not a time zone that this system knows; ${HINT}` };
    throw error;
  }
}
