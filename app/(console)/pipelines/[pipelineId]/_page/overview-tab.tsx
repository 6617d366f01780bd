"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { StateBadge } from "@/app/_status/state-badge";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Duration } from "@/app/_ui/duration";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link as TextLink } from "@/app/_ui/link";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { roleAllows } from "@/server/domain/access/roles";
import type { NodeState } from "@/server/domain/run/states";
import { FireStrip } from "../../../_schedules/fire-strip";
import { ScheduleWords } from "../../../_schedules/schedule-words";
import { SumLine } from "../../../_schedules/sum-line";
import { Facts } from "./facts-panel";
import type { PipelineProps } from "./tabs";
import { VersionGraph } from "./version-graph";

/** What it is and how the last run went, when it runs next, and whether it fired when it should. */
export function OverviewTab({ projectId, pipeline, role }: PipelineProps) {
  const t = useTranslations("pipeline");
  if (!pipeline.live) {
    const mayEdit = role !== null && roleAllows(role, "pipeline.edit");
    return (
      <EmptyState
        title={t("draftOnly.title")}
        actions={
          <Button asChild look="primary">
            <Link href={`/pipelines/${pipeline.id}/edit`}>{t(mayEdit ? "draftOnly.edit" : "look")}</Link>
          </Button>
        }
      >
        {t("draftOnly.body")}
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-x-8 gap-y-6 px-4 py-4 md:px-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <GraphPanel pipeline={pipeline} />
        {pipeline.schedules.length > 0 ? <LedgerPanel projectId={projectId} pipeline={pipeline} /> : null}
        <RecentRuns pipeline={pipeline} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <NextPanel projectId={projectId} pipeline={pipeline} />
        <Facts pipeline={pipeline} />
      </div>
    </div>
  );
}

const NO_STATES: ReadonlyMap<string, NodeState> = new Map();

function GraphPanel({ pipeline }: Pick<PipelineProps, "pipeline">) {
  const t = useTranslations("pipeline.graph");
  const trpc = useTRPC();
  const last = pipeline.lastRun;
  const run = useQuery({ ...trpc.runs.get.queryOptions({ runId: last?.id ?? "" }), enabled: last !== null });
  const states = useMemo(
    () => (run.data ? new Map(run.data.nodes.map(({ key, state }): [string, NodeState] => [key, state])) : NO_STATES),
    [run.data],
  );
  const { live } = pipeline;
  if (!live) return null;
  const older = run.data !== undefined && run.data.version.no !== live.no;
  return (
    <Panel
      title={t("title", { no: live.no })}
      note={last ? undefined : t("noRun")}
      actions={
        last ? (
          <TextLink href={`/runs/${last.id}`} className="text-meta">
            {t("lastRun")} <Time relative at={last.createdAt} />
          </TextLink>
        ) : null
      }
    >
      {older ? <p className="pb-1 text-ink-3 text-meta">{t("older", { no: run.data.version.no })}</p> : null}
      <VersionGraph nodes={live.definition.spec.nodes} layout={live.layout} states={states} runId={last?.id ?? null} />
    </Panel>
  );
}

const STRIP = 60;

function LedgerPanel({ projectId, pipeline }: Pick<PipelineProps, "projectId" | "pipeline">) {
  const t = useTranslations("pipeline.ledger");
  const trpc = useTRPC();
  const fires = useQuery(trpc.fires.list.queryOptions({ projectId, pipelineId: pipeline.id, limit: STRIP }));
  if (!fires.data) return null;
  const { items, sums } = fires.data;
  return (
    <Panel
      title={t("title")}
      note={t("note", { n: items.length })}
      actions={
        <TextLink href={`/schedules?pipeline=${pipeline.id}`} className="text-meta">
          {t("all")}
        </TextLink>
      }
    >
      {items.length === 0 ? (
        <p className="py-1 text-ink-2 text-table">{t("none")}</p>
      ) : (
        <div className="flex flex-col gap-2 overflow-x-auto py-1">
          <FireStrip fires={[...items].reverse()} places={STRIP} label={t("note", { n: items.length })} />
          <SumLine sums={sums} />
        </div>
      )}
    </Panel>
  );
}

const RECENT = 6;

function RecentRuns({ pipeline }: Pick<PipelineProps, "pipeline">) {
  const t = useTranslations("pipeline.recent");
  const runs = pipeline.recentRuns.slice(-RECENT).reverse();
  return (
    <Panel
      title={t("title")}
      actions={
        <TextLink href={`/pipelines/${pipeline.id}?tab=runs`} className="text-meta">
          {t("all")}
        </TextLink>
      }
    >
      {runs.length === 0 ? <p className="py-1 text-ink-2 text-table">{t("none")}</p> : null}
      <ol>
        {runs.map((run) => (
          <li key={run.id} className="grid h-8 grid-cols-[8rem_minmax(0,1fr)_6rem] items-center gap-3 border-b text-table last:border-b-0">
            <StateBadge of="run" state={run.state} />
            <TextLink href={`/runs/${run.id}`} className="justify-self-start">
              <Time at={run.startedAt ?? run.createdAt} />
            </TextLink>
            <Duration since={run.startedAt} until={run.endedAt} className="text-right text-ink-2" />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const NEXT = 5;

function NextPanel({ projectId, pipeline }: Pick<PipelineProps, "projectId" | "pipeline">) {
  const t = useTranslations("pipeline.nextFires");
  const trpc = useTRPC();
  const schedules = useQuery(trpc.schedules.list.queryOptions({ projectId, pipelineId: pipeline.id, next: NEXT }));
  const fires = (schedules.data?.items ?? [])
    .flatMap((schedule) => schedule.nextFires.map((at) => ({ at, schedule })))
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .slice(0, NEXT);
  return (
    <Panel title={t("title")}>
      {pipeline.schedules.length === 0 ? <p className="text-ink-2 text-table">{t("none")}</p> : null}
      {pipeline.schedules.map((schedule) => (
        <p key={schedule.id} className="pb-1 text-table">
          <ScheduleWords {...schedule} className={schedule.enabled ? undefined : "text-ink-3"} />
          {schedule.enabled ? null : <Badge className="ml-2">{t("off")}</Badge>}
        </p>
      ))}
      {schedules.data && pipeline.schedules.length > 0 && fires.length === 0 ? <p className="text-ink-2 text-table">{t("never")}</p> : null}
      <ol>
        {fires.map(({ at, schedule }) => (
          <li
            key={`${schedule.id} ${at.getTime()}`}
            className="flex h-8 items-center justify-between gap-3 border-b text-table last:border-b-0"
          >
            <Time at={at} />
            <span className="flex min-w-0 items-center gap-2 text-ink-3 text-meta">
              {pipeline.schedules.length > 1 ? <code className="truncate font-mono">{schedule.name}</code> : null}
              <Time relative at={at} />
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
