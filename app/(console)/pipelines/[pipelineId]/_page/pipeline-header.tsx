"use client";
import { PenLine, Power, SquarePen } from "lucide-react";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { RunStrip } from "@/app/_status/run-strip";
import { StateBadge } from "@/app/_status/state-badge";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import { Time } from "@/app/_ui/time";
import { type Permission, roleAllows } from "@/server/domain/access/roles";
import { PageTabs } from "../../../_query/page-tabs";
import { StaleMark } from "../../../_query/stale-mark";
import { stripRun } from "../../_parts/pipeline-columns";
import { EnableDialog } from "./enable-dialog";
import { PipelineMenu } from "./pipeline-menu";
import { RunNow } from "./run-now";
import { PIPELINE_TABS, type PipelineProps, type PipelineTab } from "./tabs";

export function PipelineHeader({ projectId, pipeline, role, tab }: PipelineProps & { tab: PipelineTab }) {
  const t = useTranslations("pipeline");
  const may = (permission: Permission) => role !== null && roleAllows(role, permission);
  return (
    <PageHeader
      trail={<Link href="/pipelines">{t("trail")}</Link>}
      title={pipeline.title}
      mark={pipeline.lastRun ? <StateBadge of="run" state={pipeline.lastRun.state} boxed /> : undefined}
      meta={<Meta pipeline={pipeline} />}
      actions={
        <>
          {may("schedule.toggle") && !pipeline.archivedAt ? <Switching projectId={projectId} pipeline={pipeline} /> : null}
          {may("pipeline.publish") ? <PipelineMenu projectId={projectId} pipeline={pipeline} /> : null}
          <Button asChild>
            <Link href={`/pipelines/${pipeline.id}/edit`}>
              <SquarePen size={13} aria-hidden="true" />
              {t(may("pipeline.edit") && pipeline.managedBy === "console" ? "edit" : "look")}
            </Link>
          </Button>
          {may("run.trigger") ? <RunNow projectId={projectId} pipeline={pipeline} /> : null}
        </>
      }
      tabs={
        <PageTabs
          label={t("tabs.label")}
          value={tab}
          tabs={PIPELINE_TABS.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            ...(value === "schedule" && pipeline.schedules.length > 0 ? { count: pipeline.schedules.length } : {}),
          }))}
        />
      }
    />
  );
}

function Switching({ projectId, pipeline }: Pick<PipelineProps, "projectId" | "pipeline">) {
  const t = useTranslations("pipeline.enable");
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Power size={13} aria-hidden="true" />
        {t(pipeline.enabled ? "verbOff" : "verbOn")}
      </Button>
      {open ? <EnableDialog projectId={projectId} pipeline={pipeline} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Meta({ pipeline }: Pick<PipelineProps, "pipeline">) {
  const t = useTranslations("pipeline");
  return (
    <>
      <code className="font-mono text-ink-3 text-meta">{pipeline.name}</code>
      <span>{t("ownedBy", { owner: pipeline.owner })}</span>
      {pipeline.live ? (
        <Badge mono>{t("version", { no: pipeline.live.no })}</Badge>
      ) : (
        <Badge className="border-dashed">{t("neverPublished")}</Badge>
      )}
      {pipeline.live && pipeline.draftDiffers ? (
        <Link
          href={`/pipelines/${pipeline.id}?tab=versions&from=live&to=draft`}
          className="inline-flex items-center gap-1 underline decoration-line-strong underline-offset-3"
        >
          <PenLine size={12} aria-hidden="true" />
          {t("draftDiffers")}
        </Link>
      ) : null}
      {pipeline.archivedAt ? <Badge>{t("archived")}</Badge> : pipeline.enabled ? null : <Badge>{t("disabled")}</Badge>}
      {pipeline.managedBy === "git" ? <Badge>{t("fromGit")}</Badge> : null}
      {pipeline.nextFireAt ? (
        <span>
          {t("next")} <Time relative at={pipeline.nextFireAt} />
        </span>
      ) : null}
      {pipeline.recentRuns.length > 0 ? <RunStrip runs={pipeline.recentRuns.map(stripRun)} className="max-sm:hidden" /> : null}
      <StaleMark />
    </>
  );
}
