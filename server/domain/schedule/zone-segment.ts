import { Temporal } from "temporal-polyfill";

/** A stretch of time with one offset from UTC, and what stands on either side of it. */
export interface ZoneSegment {
  /** First instant; -Infinity where the zone's history begins. */
  readonly startMs: number;
  /** First instant after; Infinity where no further change is known. */
  readonly endMs: number;
  readonly offsetMs: number;
  readonly offsetBeforeMs: number;
  readonly offsetAfterMs: number;
}

/** Enough for two centuries of one zone; beyond it the zone's memory starts afresh. */
const MAX_REMEMBERED = 512;

// A memo of what the zone data says; it changes no answer.
const remembered = new Map<string, ZoneSegment[]>();

const offsetMsOf = (at: Temporal.ZonedDateTime) => at.offsetNanoseconds / 1_000_000;

function readSegment(zone: string, instantMs: number): ZoneSegment {
  const at = Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
  const start = at.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const end = at.getTimeZoneTransition("next");
  const offsetMs = offsetMsOf(at);
  return {
    startMs: start === null ? Number.NEGATIVE_INFINITY : start.epochMilliseconds,
    endMs: end === null ? Number.POSITIVE_INFINITY : end.epochMilliseconds,
    offsetMs,
    offsetBeforeMs: start === null ? offsetMs : offsetMsOf(start.subtract({ milliseconds: 1 })),
    offsetAfterMs: end === null ? offsetMs : offsetMsOf(end),
  };
}

/** The stretch of constant offset that an instant lies in. The zone must be a valid one. */
export function segmentAt(zone: string, instantMs: number): ZoneSegment {
  const known = remembered.get(zone) ?? [];
  const found = known.find((segment) => segment.startMs <= instantMs && instantMs < segment.endMs);
  if (found !== undefined) return found;
  const segment = readSegment(zone, instantMs);
  remembered.set(zone, known.length < MAX_REMEMBERED ? [...known, segment] : [segment]);
  return segment;
}
