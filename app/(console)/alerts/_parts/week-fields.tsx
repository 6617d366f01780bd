"use client";
import { useTranslations } from "next-intl";
import { Checkbox } from "@/app/_ui/checkbox";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { weekTimesSchema } from "@/server/domain/alert/week";
import type { Policy } from "./views";

export type WeekTimes = Policy["workingHours"];
const WEEK = [1, 2, 3, 4, 5, 6, 7] as const;

export const isWeekTimes = (times: WeekTimes): boolean => weekTimesSchema.safeParse(times).success;

/** Weekly times in a zone; an end that is not after its start lies on the next day. */
export function WeekFields({ times, onTimes }: { times: WeekTimes; onTimes: (times: WeekTimes) => void }) {
  const t = useTranslations("alerts.week");
  const zoneWrong = !weekTimesSchema.shape.zone.safeParse(times.zone).success;
  const toggle = (day: number) => {
    const days = times.days.includes(day) ? times.days.filter((each) => each !== day) : [...times.days, day].sort();
    onTimes({ ...times, days });
  };
  return (
    <>
      <fieldset>
        <legend className="mb-1 font-medium text-ink-2 text-meta">{t("days")}</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-2">
          {WEEK.map((day) => (
            <Checkbox key={day} checked={times.days.includes(day)} onChecked={() => toggle(day)}>
              {t(`day.${day}`)}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-[7rem_7rem_1fr]">
        <Field label={t("from")}>
          <Input type="time" value={times.from} onChange={(event) => onTimes({ ...times, from: event.target.value })} />
        </Field>
        <Field label={t("to")}>
          <Input type="time" value={times.to} onChange={(event) => onTimes({ ...times, to: event.target.value })} />
        </Field>
        <Field label={t("zone")} error={zoneWrong ? t("zoneWrong") : undefined} className="max-sm:col-span-2">
          <Input
            mono
            autoComplete="off"
            maxLength={64}
            value={times.zone}
            onChange={(event) => onTimes({ ...times, zone: event.target.value.trim() })}
          />
        </Field>
      </div>
    </>
  );
}

/** Weekly times as a line: days, hours and the zone that they are in. */
export function WeekLine({ times }: { times: WeekTimes }) {
  const t = useTranslations("alerts.week");
  const days = times.days.length === WEEK.length ? t("every") : times.days.map((day) => t(`day.${day as 1}`)).join(" ");
  return (
    <span className="tabular-nums">
      {`${days} ${times.from}–${times.to} `}
      <span className="text-ink-3">{times.zone}</span>
    </span>
  );
}
