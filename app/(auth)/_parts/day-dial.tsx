"use client";
import { useNow, useZone } from "@/app/_ui/clock";
import { shareOfDay } from "@/app/_ui/instant";

const QUARTERS = Array.from({ length: 96 }, (_, quarter) => quarter);
const NAMED = [0, 3, 6, 9, 12, 15, 18, 21];

const point = (share: number, radius: number): [number, number] => {
  const angle = share * 2 * Math.PI - Math.PI / 2;
  return [round(300 + radius * Math.cos(angle)), round(300 + radius * Math.sin(angle))];
};
const round = (n: number) => Math.round(n * 100) / 100;

const tick = (quarter: number): string => {
  const inner = quarter % 12 === 0 ? 216 : quarter % 4 === 0 ? 226 : 233;
  const [x1, y1] = point(quarter / 96, inner);
  const [x2, y2] = point(quarter / 96, 240);
  return `M${x1} ${y1}L${x2} ${y2}`;
};

/** The 24 hours of the chosen zone as a ring of quarters; the satellite stands where the day is. */
export function DayDial() {
  const { zone } = useZone();
  const now = useNow();
  const share = shareOfDay(now, zone);
  const [x, y] = point(share, 262);
  const [ex, ey] = point(share, 240);
  return (
    <svg aria-hidden="true" viewBox="0 0 600 600" className="w-[min(82%,72vh)]" fill="none">
      <circle cx="300" cy="300" r="262" className="stroke-line-strong" strokeDasharray="1 5" />
      {QUARTERS.map((quarter) => (
        <path
          key={quarter}
          d={tick(quarter)}
          className={quarter / 96 <= share ? "stroke-ink" : "stroke-edge"}
          strokeWidth={quarter % 12 === 0 ? 2 : 1}
          opacity={quarter / 96 <= share ? 1 : 0.6}
        />
      ))}
      {NAMED.map((hour) => {
        const [tx, ty] = point(hour / 24, 198);
        return (
          <text key={hour} x={tx} y={ty + 5} textAnchor="middle" className="fill-ink-3 font-mono" fontSize="15">
            {String(hour).padStart(2, "0")}
          </text>
        );
      })}
      <path d={`M300 300L${ex} ${ey}`} className="stroke-ink" strokeWidth="1" />
      <circle cx="300" cy="300" r="5" className="fill-ink" />
      <circle cx={x} cy={y} r="9" className="fill-ink" />
    </svg>
  );
}
