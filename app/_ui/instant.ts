export type Precision = "minute" | "second" | "ms";

interface Parts {
  year: string;
  month: string;
  day: string;
  hour: string;
  minute: string;
  second: string;
  ms: string;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(key: string, make: () => Intl.DateTimeFormat): Intl.DateTimeFormat {
  const known = formatters.get(key);
  if (known) return known;
  const made = make();
  formatters.set(key, made);
  return made;
}

function partsIn(atMs: number, zone: string): Parts {
  const format = formatter(
    `p ${zone}`,
    () =>
      new Intl.DateTimeFormat("en-GB", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "2-digit",
        day: "2-digit",
        hour: "2-digit",
        minute: "2-digit",
        second: "2-digit",
      }),
  );
  const found = Object.fromEntries(format.formatToParts(atMs).map((part) => [part.type, part.value]));
  const read = (type: string) => found[type] ?? "";
  return {
    year: read("year").padStart(4, "0"),
    month: read("month"),
    day: read("day"),
    hour: read("hour"),
    minute: read("minute"),
    second: read("second"),
    ms: String(((atMs % 1000) + 1000) % 1000).padStart(3, "0"),
  };
}

/** `UTC`, `UTC+8`, `UTC−3:30`: what a zone is at that instant, short enough to stand beside every time. */
export function offsetText(atMs: number, zone: string): string {
  const format = formatter(`o ${zone}`, () => new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "longOffset" }));
  const name = format.formatToParts(atMs).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const match = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!match) return "UTC";
  const [, sign, hours, minutes] = match;
  if (hours === "00" && minutes === "00") return "UTC";
  return `UTC${sign === "-" ? "−" : "+"}${Number(hours)}${minutes === "00" ? "" : `:${minutes}`}`;
}

function clockText(parts: Parts, precision: Precision): string {
  const minute = `${parts.hour}:${parts.minute}`;
  if (precision === "minute") return minute;
  return precision === "second" ? `${minute}:${parts.second}` : `${minute}:${parts.second}.${parts.ms}`;
}

/** The date is left out today, the year in the same year: what is left is what tells two rows apart. */
export function shortText(atMs: number, nowMs: number, zone: string, precision: Precision): string {
  const at = partsIn(atMs, zone);
  const now = partsIn(nowMs, zone);
  const clock = clockText(at, precision);
  if (at.year !== now.year) return `${at.year}-${at.month}-${at.day} ${clock}`;
  if (at.month !== now.month || at.day !== now.day) return `${at.month}-${at.day} ${clock}`;
  return clock;
}

/** The whole instant without its zone: `2026-03-01 02:14:07.412`. */
export function fullText(atMs: number, zone: string, precision: Precision): string {
  const at = partsIn(atMs, zone);
  return `${at.year}-${at.month}-${at.day} ${clockText(at, precision)}`;
}

/** Share of the day that has gone by on a wall clock in that zone, 0 to 1. */
export function shareOfDay(atMs: number, zone: string): number {
  const at = partsIn(atMs, zone);
  return (Number(at.hour) * 3600 + Number(at.minute) * 60 + Number(at.second)) / 86_400;
}

export type RelativeKey = "secondsAgo" | "minutesAgo" | "hoursAgo" | "daysAgo" | "inSeconds" | "inMinutes" | "inHours" | "inDays" | "now";

const STEPS = [
  { unit: "Days", ms: 86_400_000, from: 172_800_000 },
  { unit: "Hours", ms: 3_600_000, from: 7_200_000 },
  { unit: "Minutes", ms: 60_000, from: 120_000 },
  { unit: "Seconds", ms: 1000, from: 1000 },
] as const;

/** How far away an instant is, as a word key and a number; each unit takes over at two of it, so that "1 h" never hides 119 min. */
export function relativeTo(atMs: number, nowMs: number): { key: RelativeKey; n: number } {
  const distance = Math.abs(atMs - nowMs);
  const step = STEPS.find((candidate) => distance >= candidate.from);
  if (!step) return { key: "now", n: 0 };
  const n = Math.floor(distance / step.ms);
  if (atMs > nowMs) return { key: `in${step.unit}`, n };
  const past = { Days: "daysAgo", Hours: "hoursAgo", Minutes: "minutesAgo", Seconds: "secondsAgo" } as const;
  return { key: past[step.unit], n };
}

/** `840ms`, `4.2s`, `3m 04s`, `2h 05m`, `4d 03h`: two units at most, the second padded so that columns align. */
export function spanText(ms: number): string {
  if (ms < 0) return `−${spanText(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** Guards what a cookie or a person gives as a zone: anything that this runtime cannot show is none. */
export function isZone(value: string | undefined): value is string {
  if (!value) return false;
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
