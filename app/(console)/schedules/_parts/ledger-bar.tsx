"use client";
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { IconButton } from "@/app/_ui/icon-button";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { FIRE_VERDICTS, type FireVerdict } from "@/server/domain/schedule/verdict";
import { readDay, shiftDay } from "../../_query/day";
import type { ScheduleView } from "../../_schedules/views";

export interface LedgerSight {
  readonly day: string;
  readonly schedule: string | null;
  readonly pipeline: string | null;
  readonly verdict: FireVerdict | null;
}

interface LedgerBarProps {
  sight: LedgerSight;
  onSight: (sight: LedgerSight) => void;
  today: string;
  schedules: readonly ScheduleView[];
}

/** Radix takes no empty value, and no id or verdict is called so. */
const ANY = "\u0000";

/** Which day, which schedule, which verdict. */
export function LedgerBar({ sight, onSight, today, schedules }: LedgerBarProps) {
  const t = useTranslations("schedules");
  const toDay = (day: string) => onSight({ ...sight, day });
  const pipeline = schedules.find((each) => each.pipeline.id === sight.pipeline)?.pipeline;
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-3 md:px-6">
      <div className="flex items-center gap-1">
        <IconButton
          look="plain"
          label={t("ledger.before")}
          icon={<ChevronLeft size={14} aria-hidden="true" />}
          onClick={() => toDay(shiftDay(sight.day, -1))}
        />
        <Input
          type="date"
          aria-label={t("ledger.day")}
          className="w-36"
          max={today}
          value={sight.day}
          onChange={(event) => {
            const day = readDay(event.target.value);
            if (day) toDay(day);
          }}
        />
        <IconButton
          look="plain"
          label={t("ledger.after")}
          icon={<ChevronRight size={14} aria-hidden="true" />}
          disabled={sight.day >= today}
          onClick={() => toDay(shiftDay(sight.day, 1))}
        />
        {sight.day === today ? null : (
          <Button look="quiet" onClick={() => toDay(today)}>
            {t("ledger.today")}
          </Button>
        )}
      </div>
      <Select
        label={t("ledger.schedule")}
        className="w-auto max-w-72"
        value={sight.schedule ?? ANY}
        options={[
          { value: ANY, label: t("ledger.anySchedule") },
          ...schedules.map((each) => ({ value: each.id, label: `${each.pipeline.title} · ${each.name}` })),
        ]}
        onValue={(value) => onSight({ ...sight, schedule: value === ANY ? null : value, pipeline: null })}
      />
      <Select
        label={t("ledger.verdict")}
        className="w-auto"
        value={sight.verdict ?? ANY}
        options={[
          { value: ANY, label: t("ledger.anyVerdict") },
          ...FIRE_VERDICTS.map((value) => ({ value, label: t(`verdict.${value}`) })),
        ]}
        onValue={(value) => onSight({ ...sight, verdict: value === ANY ? null : (value as FireVerdict) })}
      />
      {sight.pipeline ? (
        <Button onClick={() => onSight({ ...sight, pipeline: null })}>
          {t("ledger.onlyPipeline", { pipeline: pipeline?.title ?? "…" })}
          <X size={13} aria-hidden="true" />
        </Button>
      ) : null}
    </div>
  );
}
