import { Temporal } from "temporal-polyfill";

export type ZoneResult = { readonly ok: true; readonly zone: string } | { readonly ok: false; readonly message: string };

const HINT = "use an IANA name such as Asia/Shanghai, Europe/Paris or UTC";

/** Enough for every zone in every usual spelling. */
const MAX_REMEMBERED = 2_000;

// A memo of zones that hold: building a formatter costs more than all the rest of a fire.
const remembered = new Map<string, string>();

function remember(name: string): string {
  // The formatter knows the runtime's own zone data; Temporal restores the spelling without following links.
  new Intl.DateTimeFormat("en", { timeZone: name });
  const zone = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  if (remembered.size < MAX_REMEMBERED) remembered.set(name, zone);
  return zone;
}

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
    return { ok: true, zone: remembered.get(name) ?? remember(name) };
  } catch (error) {
    if (error instanceof RangeError)
      return { ok: false, message: `"${name.slice(0, 64)}" is not a time zone that this system knows; ${HINT}` };
    throw error;
  }
}
