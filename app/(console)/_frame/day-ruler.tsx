"use client";
import { useNow, useZone } from "@/app/_ui/clock";
import { shareOfDay } from "@/app/_ui/instant";

const HOURS = Array.from({ length: 25 }, (_, hour) => hour);

/** Under the top bar: the day in the chosen zone as a scale of hours, and where in it we stand. The clock above says it in words. */
export function DayRuler() {
  const { zone } = useZone();
  const now = useNow(60_000);
  const share = shareOfDay(now, zone);
  return (
    <svg aria-hidden="true" viewBox="0 0 2400 8" preserveAspectRatio="none" className="absolute inset-x-0 -bottom-px h-2 w-full">
      {HOURS.map((hour) => (
        <path
          key={hour}
          d={`M${hour * 100} ${hour % 6 === 0 ? 1 : 4.5}V8`}
          className={hour * 100 <= share * 2400 ? "stroke-edge" : "stroke-line-strong"}
          vectorEffect="non-scaling-stroke"
          strokeWidth="1"
        />
      ))}
      <path d={`M0 7.5H${share * 2400}`} className="stroke-edge" vectorEffect="non-scaling-stroke" strokeWidth="1" />
      <path d={`M${share * 2400} 0V8`} className="stroke-ink" vectorEffect="non-scaling-stroke" strokeWidth="2" />
    </svg>
  );
}
