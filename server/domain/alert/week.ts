import { z } from "zod";
import { checkZone } from "@/server/domain/schedule/zone";

const zoneSchema = z
  .string()
  .max(64)
  .refine((zone) => checkZone(zone).ok, { error: "not a time zone; write an IANA name such as Asia/Shanghai" });
const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "not a time of day; write it like 09:00" });

/** Weekly times in a zone. Days are 1 (Monday) to 7; an end that is not after its start lies on the next day. */
export const weekTimesSchema = z.strictObject({
  zone: zoneSchema,
  days: z.array(z.int().min(1).max(7)).min(1).max(7),
  from: timeOfDay,
  to: timeOfDay,
});
export type WeekTimes = z.output<typeof weekTimesSchema>;

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Whether an instant lies within weekly times, by the clock on the wall of their zone. */
export function isWithin(times: WeekTimes, at: Date): boolean {
  const { day, minute } = wallClock(times.zone, at);
  const [from, to] = [minuteOf(times.from), minuteOf(times.to)];
  const on = (each: number) => times.days.includes(each);
  if (from < to) return on(day) && minute >= from && minute < to;
  // Past midnight: it began today, or it began yesterday and lasts.
  return (on(day) && minute >= from) || (on(day === 1 ? 7 : day - 1) && minute < to);
}

const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

function wallClock(zone: string, at: Date): { readonly day: number; readonly minute: number } {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return { day: DAYS.indexOf(parts.get("weekday") ?? "") + 1, minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute")) };
}
