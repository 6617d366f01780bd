"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CrossedSquare } from "@/app/_status/glyphs";
import { cn } from "@/app/_ui/class-names";
import { useNow, useZone } from "@/app/_ui/clock";
import { offsetText, shortText } from "@/app/_ui/instant";
import { Link } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { firesByMinute, MINUTES, type MinuteOfFires } from "./model/next-hour";
import type { HomeView } from "./views";

interface NextHourProps {
  next: HomeView["next"];
  /** Pipelines that are broken now. */
  broken: ReadonlySet<string>;
}

/** The fires of the next sixty minutes on a scale, those of broken pipelines marked, and the first of them by name. */
export function NextHourBlock({ next, broken }: NextHourProps) {
  const t = useTranslations("home.next");
  const { zone } = useZone();
  const now = useNow(10_000);
  const minutes = firesByMinute(next.items, now, broken);
  const n = minutes.reduce((sum, minute) => sum + minute.fires.length, 0);
  const clock = (ms: number) => shortText(ms, now, zone, "minute");
  const [first] = minutes;
  return (
    <Panel
      title={t("title")}
      note={n === 0 ? null : t(next.more ? "noteMore" : "note", { n })}
      actions={
        <Link href="/schedules" className="text-meta">
          {t("all")}
        </Link>
      }
    >
      {first === undefined ? (
        <p className="py-2 text-ink-2 text-table">{t("none")}</p>
      ) : (
        <>
          <Strip minutes={minutes} nowMs={now} label={t("strip", { n, time: clock(first.fires[0]?.fireAt.getTime() ?? now) })} />
          <div aria-hidden="true" className="relative mt-1 h-4 text-ink-3 text-meta">
            {[0, 15, 30, 45, 60].map((minute) => (
              <span
                key={minute}
                className={cn(
                  "absolute tabular-nums",
                  minute === 60 ? "right-0" : minute === 0 ? "left-0" : "-translate-x-1/2",
                  (minute === 15 || minute === 45) && "max-sm:hidden",
                )}
                style={minute === 60 ? undefined : { left: `${(minute / MINUTES) * 100}%` }}
              >
                {clock(now + minute * 60_000)}
                {minute === 60 ? ` ${offsetText(now, zone)}` : null}
              </span>
            ))}
          </div>
          <Coming minutes={minutes} broken={broken} />
        </>
      )}
    </Panel>
  );
}

const TALLEST = 5;

function Strip({ minutes, nowMs, label }: { minutes: readonly MinuteOfFires[]; nowMs: number; label: string }) {
  const { zone } = useZone();
  const [at, setAt] = useState<MinuteOfFires | null>(null);
  const tallest = Math.max(TALLEST, ...minutes.map(({ fires }) => fires.length));
  return (
    <div role="img" aria-label={label} className="relative h-14 border-edge border-b" onPointerLeave={() => setAt(null)}>
      {[15, 30, 45].map((minute) => (
        <span key={minute} className="absolute inset-y-0 w-px bg-line" style={{ left: `${(minute / MINUTES) * 100}%` }} />
      ))}
      {minutes.map((minute) => (
        <span
          key={minute.at}
          onPointerEnter={() => setAt(minute)}
          className="absolute inset-y-0 flex items-end hover:bg-hover"
          style={{ left: `${(minute.at / MINUTES) * 100}%`, width: `${100 / MINUTES}%` }}
        >
          <span
            className={cn("mx-px w-full rounded-t-[1px]", minute.broken ? "bg-state-failed" : "bg-ink-2")}
            style={{ height: `${Math.round(6 + (minute.fires.length / tallest) * 42)}px` }}
          />
        </span>
      ))}
      {at ? (
        <span
          className="pointer-events-none absolute -top-1 z-10 max-w-72 -translate-y-full truncate rounded-md bg-ink px-2 py-1 text-meta text-panel shadow-lift"
          style={at.at < MINUTES / 2 ? { left: `${(at.at / MINUTES) * 100}%` } : { right: `${100 - ((at.at + 1) / MINUTES) * 100}%` }}
        >
          {shortText(nowMs + at.at * 60_000, nowMs, zone, "minute")}{" "}
          {[...new Set(at.fires.map(({ pipeline }) => pipeline.title))].join(", ")}
        </span>
      ) : null}
    </div>
  );
}

const NAMED = 6;

function Coming({ minutes, broken }: { minutes: readonly MinuteOfFires[]; broken: ReadonlySet<string> }) {
  const t = useTranslations("home.next");
  const { zone } = useZone();
  const now = useNow(10_000);
  const fires = minutes.flatMap((minute) => minute.fires);
  return (
    <ol className="mt-2 grid grid-cols-1 gap-x-6 sm:grid-cols-2 lg:grid-cols-3">
      {fires.slice(0, NAMED).map((fire) => (
        <li key={`${fire.schedule.id} ${fire.fireAt.getTime()}`} className="flex min-h-7 min-w-0 items-baseline gap-2 text-table">
          <time dateTime={fire.fireAt.toISOString()} className="shrink-0 text-ink-2 tabular-nums">
            {shortText(fire.fireAt.getTime(), now, zone, fire.fireAt.getTime() % 60_000 === 0 ? "minute" : "second")}
          </time>
          <Link href={`/pipelines/${fire.pipeline.id}`} className="min-w-0 truncate">
            {fire.pipeline.title}
          </Link>
          {broken.has(fire.pipeline.id) ? (
            <span className="inline-flex shrink-0 items-center gap-1 text-meta text-state-failed">
              <CrossedSquare size={11} />
              {t("broken")}
            </span>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
