"use client";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { StateBadge } from "@/app/_status/state-badge";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { DisconnectedMark } from "@/app/_ui/disconnected-mark";
import { Duration } from "@/app/_ui/duration";
import { JsonView } from "@/app/_ui/json-view";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { PageHeader } from "@/app/_ui/page-header";
import { Popover } from "@/app/_ui/popover";
import { Time } from "@/app/_ui/time";
import { useLiveState } from "../../_frame/live";
import { RunActs } from "../_act/run-acts";
import { filledKeys, type RunView } from "../views";
import { useRun } from "./run-context";

export function RunHeader() {
  const t = useTranslations("run");
  const { run } = useRun();
  const live = useLiveState();
  return (
    <PageHeader
      className="gap-2 pb-3"
      trail={
        <span className="flex flex-wrap items-center gap-x-2">
          <Link href="/runs" className="text-ink-3">
            {t("trail")}
          </Link>
          <span aria-hidden="true">{"/"}</span>
          <Mono short copy>
            {run.id}
          </Mono>
        </span>
      }
      mark={<StateBadge boxed of="run" state={run.state} />}
      title={
        <Link href={`/pipelines/${run.pipeline.id}`} className="no-underline hover:underline">
          {run.pipeline.title}
        </Link>
      }
      meta={
        <>
          <RunFacts run={run} />
          {live.kind === "offline" && live.sinceMs !== null ? <DisconnectedMark short sinceMs={live.sinceMs} /> : null}
        </>
      }
      actions={<RunActs />}
    />
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <span className="inline-flex items-baseline gap-1.5 whitespace-nowrap">
    <span className="text-ink-3">{label}</span>
    {children}
  </span>
);

/** A fire that started when it was due needs no second time beside the first. */
const isLate = (due: Date, startedAt: Date | null) => startedAt === null || Math.abs(startedAt.getTime() - due.getTime()) >= 1000;

function RunFacts({ run }: { run: RunView }) {
  const t = useTranslations("run");
  const runs = useTranslations("runs");
  const { startedAt, endedAt, createdAt } = run.times;
  return (
    <>
      <span title={run.pipeline.name}>{t("version", { no: run.version.no })}</span>
      <span>{runs(`triggerBy.${run.trigger.kind}`, { name: run.trigger.actor.label })}</span>
      {run.trigger.scheduledAt && isLate(run.trigger.scheduledAt, startedAt) ? (
        <Fact label={t("due")}>
          <Time at={run.trigger.scheduledAt} />
        </Fact>
      ) : null}
      <Fact label={t(startedAt ? "started" : "created")}>
        <Time at={startedAt ?? createdAt} />
      </Fact>
      {startedAt ? (
        <Fact label={t(endedAt ? "took" : run.state === "RUNNING" ? "running" : "soFar")}>
          <Duration since={startedAt} until={endedAt} />
        </Fact>
      ) : null}
      {run.rerunOf ? (
        <Fact label={t("rerunOf")}>
          <Link href={`/runs/${run.rerunOf}`}>
            <Mono short>{run.rerunOf}</Mono>
          </Link>
        </Fact>
      ) : null}
      <Params params={run.params} />
      {filledKeys(run.businessKeys).map(([name, value]) => (
        <Badge key={name} mono title={t("keys")}>{`${name}=${value}`}</Badge>
      ))}
    </>
  );
}

function Params({ params }: { params: RunView["params"] }) {
  const t = useTranslations("run");
  const count = Object.keys(params).length;
  if (count === 0) return null;
  return (
    <Popover
      label={t("params")}
      className="w-96"
      trigger={
        <Button look="quiet" size="sm" className="-ml-2 font-normal">
          {t("params")}
          <span className="text-ink-3">{count}</span>
        </Button>
      }
    >
      <JsonView value={params} label={t("params")} maxHeight="20rem" />
    </Popover>
  );
}
