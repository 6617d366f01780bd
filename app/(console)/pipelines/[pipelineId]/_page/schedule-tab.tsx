"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link as TextLink } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Panel } from "@/app/_ui/panel";
import { roleAllows } from "@/server/domain/access/roles";
import { QueryState } from "../../../_query/query-state";
import { LastFire } from "../../../_schedules/last-fire";
import { ScheduleSwitch } from "../../../_schedules/toggle-dialog";
import type { ScheduleView } from "../../../_schedules/views";
import { SchedulePreview } from "../_editor/panel/schedule-preview";
import type { PipelineProps } from "./tabs";

/** When it runs by itself, what it does in the odd cases, and the way to switch it. */
export function ScheduleTab({ projectId, pipeline, role }: PipelineProps) {
  const t = useTranslations("pipeline.schedule");
  const trpc = useTRPC();
  const schedules = useQuery(trpc.schedules.list.queryOptions({ projectId, pipelineId: pipeline.id, next: 0, limit: 50 }));
  const mayEdit = role !== null && roleAllows(role, "pipeline.edit");
  return (
    <QueryState query={schedules}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState
            title={t("empty.title")}
            actions={
              mayEdit ? (
                <Button asChild>
                  <Link href={`/pipelines/${pipeline.id}/edit`}>{t("empty.edit")}</Link>
                </Button>
              ) : null
            }
          >
            {t("empty.body")}
          </EmptyState>
        ) : (
          <div className="flex flex-col gap-6 px-4 py-4 md:px-6">
            {pipeline.enabled ? null : <p className="text-ink-2 text-table">{t("pipelineOff")}</p>}
            {items.map((schedule) => (
              <One key={schedule.id} projectId={projectId} schedule={schedule} may={role !== null && roleAllows(role, "schedule.toggle")} />
            ))}
          </div>
        )
      }
    </QueryState>
  );
}

function One({ projectId, schedule, may }: { projectId: string; schedule: ScheduleView; may: boolean }) {
  const t = useTranslations("pipeline.schedule");
  const policies = useTranslations("schedules");
  return (
    <Panel
      title={<Mono>{schedule.name}</Mono>}
      note={schedule.enabled ? undefined : policies("list.off")}
      actions={
        <>
          <TextLink href={`/schedules?schedule=${schedule.id}`} className="mr-3 text-meta">
            {t("ledger")}
          </TextLink>
          <ScheduleSwitch projectId={projectId} schedule={schedule} may={may} />
        </>
      }
    >
      {schedule.health === "ERROR" ? (
        <p role="alert" className="mb-3 border-state-failed border-l-2 pl-3 text-state-failed text-table">
          {t("unreadable", { reason: schedule.healthReason ?? "" })}
        </p>
      ) : null}
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <SchedulePreview
          schedule={{
            name: schedule.name,
            cron: schedule.expression,
            dialect: schedule.dialect,
            timezone: schedule.timezone,
            misfire: schedule.misfire,
            overlap: schedule.overlap,
            gap: schedule.gap,
            fold: schedule.fold,
            enabled: schedule.enabled,
          }}
        />
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] content-start gap-x-4 gap-y-2 text-table">
          <dt className="text-ink-3">{t("expression")}</dt>
          <dd>
            <Mono copy>{schedule.expression}</Mono>
          </dd>
          <dt className="text-ink-3">{t("overlap")}</dt>
          <dd>{policies(`overlap.${schedule.overlap}`)}</dd>
          <dt className="text-ink-3">{t("misfire")}</dt>
          <dd>{policies(`misfire.${schedule.misfire}`)}</dd>
          <dt className="text-ink-3">{t("last")}</dt>
          <dd>
            <LastFire schedule={schedule} />
          </dd>
        </dl>
      </div>
    </Panel>
  );
}
