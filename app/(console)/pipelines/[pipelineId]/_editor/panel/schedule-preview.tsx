"use client";
import { useLocale, useTranslations } from "next-intl";
import { useMemo } from "react";
import { useNow } from "@/app/_ui/clock";
import { fullText, offsetText, relativeTo } from "@/app/_ui/instant";
import type { ScheduleDefinition } from "@/server/domain/pipeline/definition";
import { parseCron } from "@/server/domain/schedule/cron";
import type { CronWarning } from "@/server/domain/schedule/cron-field";
import { inWords } from "@/server/domain/schedule/in-words";
import { nextFires } from "@/server/domain/schedule/next-fires";
import { nextTransitions, type ScheduleTransition } from "@/server/domain/schedule/transitions";
import { checkZone } from "@/server/domain/schedule/zone";

const FIRES = 10;

interface Preview {
  readonly words: string;
  readonly warnings: readonly CronWarning[];
  readonly fires: readonly Date[];
  readonly transitions: readonly ScheduleTransition[];
}

function previewOf(schedule: ScheduleDefinition, afterMs: number, locale: "en" | "zh-CN"): Preview | null {
  const parsed = parseCron(schedule.cron, schedule.dialect);
  if (!parsed.ok || !checkZone(schedule.timezone).ok) return null;
  const after = new Date(afterMs);
  return {
    words: inWords(schedule.cron, schedule.dialect, locale),
    warnings: parsed.warnings,
    fires: nextFires(schedule, after, FIRES),
    transitions: nextTransitions(schedule, after, 2),
  };
}

function useWarningText(): (warning: CronWarning) => string {
  const t = useTranslations("editor.cronWarning");
  const locale = useLocale();
  return (warning) => {
    const text = locale === "en" ? warning.message : t(warning.code, { ...warning.values });
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
}

function Transition({ transition }: { transition: ScheduleTransition }) {
  const t = useTranslations("editor.transition");
  const { effect } = transition;
  const times = "wallTimes" in effect ? effect.wallTimes.map((wall) => wall.slice(11)).join(", ") : "";
  return (
    <li className="text-ink-2">
      <span className="tabular-nums">{transition.wallBefore.slice(0, 10)}</span>{" "}
      {t(transition.kind, { before: transition.wallBefore.slice(11), after: transition.wallAfter.slice(11) })} {t(effect.kind, { times })}
    </li>
  );
}

/** The expression as a sentence, the next ten fires in its own zone, and what the next clock changes do. */
export function SchedulePreview({ schedule }: { schedule: ScheduleDefinition }) {
  const t = useTranslations("editor.preview");
  const ui = useTranslations("ui");
  const locale = useLocale();
  const warningText = useWarningText();
  const nowMs = useNow(1000);
  const stepMs = schedule.cron.trim().split(/\s+/).length > 5 ? 1_000 : 60_000;
  const afterMs = Math.floor(nowMs / stepMs) * stepMs;
  const preview = useMemo(() => previewOf(schedule, afterMs, locale), [schedule, afterMs, locale]);
  if (preview === null) return <p className="border-line-strong border-l-2 pl-3 text-ink-3 text-table">{t("unreadable")}</p>;
  const coming = preview.fires.filter((fire) => fire.getTime() > nowMs);
  return (
    <div className="flex flex-col gap-2 border-line-strong border-l-2 pl-3 text-table" aria-live="polite">
      <p className="font-medium">
        {preview.words} <span className="font-normal text-ink-3">{schedule.timezone}</span>
      </p>
      {preview.warnings.map((warning) => (
        <p key={warning.code} className="text-meta text-state-retrying">
          {warningText(warning)}
        </p>
      ))}
      {coming.length === 0 ? (
        <p className="text-ink-3">{t("never")}</p>
      ) : (
        <ol
          aria-label={t("next", { n: coming.length })}
          className="grid grid-cols-[max-content_max-content_1fr] gap-x-3 text-meta tabular-nums leading-5"
        >
          {coming.map((fire) => {
            const away = relativeTo(fire.getTime(), nowMs);
            return (
              <li key={fire.getTime()} className="col-span-3 grid grid-cols-subgrid">
                <time dateTime={fire.toISOString()}>
                  {fullText(fire.getTime(), schedule.timezone, fire.getTime() % 60_000 === 0 ? "minute" : "second")}
                </time>
                <span className="text-ink-3">{offsetText(fire.getTime(), schedule.timezone)}</span>
                <span className="text-ink-3">{ui(away.key, { n: away.n })}</span>
              </li>
            );
          })}
        </ol>
      )}
      {preview.transitions.length === 0 ? null : (
        <ul aria-label={t("transitions")} className="flex flex-col gap-0.5 border-t pt-2 text-meta">
          {preview.transitions.map((transition) => (
            <Transition key={transition.at.getTime()} transition={transition} />
          ))}
        </ul>
      )}
    </div>
  );
}
