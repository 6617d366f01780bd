"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Time } from "@/app/_ui/time";

interface StopPreviewProps {
  projectId: string;
  pipelineId: string;
  /** Archived or deleted: what waits for its turn is cancelled, where a disabled pipeline holds it. */
  ends: boolean;
}

/** What stops, and what goes on. */
export function StopPreview({ projectId, pipelineId, ends }: StopPreviewProps) {
  const t = useTranslations("pipeline.stop");
  const trpc = useTRPC();
  const preview = useQuery(trpc.pipelines.previewStop.queryOptions({ projectId, pipelineId }));
  if (!preview.data) return <p className="text-ink-3">{t(preview.error ? "unknown" : "looking")}</p>;
  const { liveRuns, waitingRuns, schedules } = preview.data;
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4">
      <li>{t("runs", { n: liveRuns.length })}</li>
      {waitingRuns > 0 ? <li>{t(ends ? "waitingEnd" : "waitingHeld", { n: waitingRuns })}</li> : null}
      <li>
        {t("schedules", { n: schedules.length })}
        {schedules.length > 0 ? (
          <ul className="mt-0.5 text-table">
            {schedules.map((schedule) => (
              <li key={schedule.name}>
                <code className="font-mono">{schedule.name}</code>
                {schedule.nextFireAt ? (
                  <>
                    {" "}
                    {t("wouldFire")} <Time at={schedule.nextFireAt} />
                  </>
                ) : null}
              </li>
            ))}
          </ul>
        ) : null}
      </li>
    </ul>
  );
}
