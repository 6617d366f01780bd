"use client";
import { useTranslations } from "next-intl";
import { VerdictBadge } from "@/app/_status/fire-verdicts";
import { Link } from "@/app/_ui/link";
import { Time } from "@/app/_ui/time";
import { FIRE_VERDICTS } from "@/server/domain/schedule/verdict";
import { useFireReason } from "./use-fire-reason";
import type { ScheduleView } from "./views";

/** What became of the last fire, when it was, and the way to its run. */
export function LastFire({ schedule }: { schedule: Pick<ScheduleView, "lastFire"> }) {
  const t = useTranslations("schedules");
  const reason = useFireReason();
  const last = schedule.lastFire;
  const verdict = FIRE_VERDICTS.find((each) => each === last?.verdict);
  if (!last || !verdict) return <span className="text-ink-3">{t("list.never")}</span>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <VerdictBadge verdict={verdict} />
      <Time at={last.fireAt} />
      {last.reason ? <span className="text-ink-3 text-meta">{reason(last.reason)}</span> : null}
      {last.runId ? <Link href={`/runs/${last.runId}`}>{t("ledger.openRun")}</Link> : null}
    </span>
  );
}
