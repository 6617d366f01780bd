"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { SkeletonRows } from "@/app/_ui/skeleton";
import { Time, ZoneNote } from "@/app/_ui/time";
import { roleAllows } from "@/server/domain/access/roles";
import { useRoleIn } from "../../_frame/project";
import { useFailureText } from "../../_query/use-failure-text";
import { MapCode } from "./map-code";
import { useTriage } from "./use-codes";
import type { Cluster } from "./views";

interface TriageInboxProps {
  projectId: string;
  onPropose: ((code: string) => void) | null;
}

const keyOf = ({ code, stackHash, shape }: Cluster) => `${code}/${stackHash}/${shape}`;

/** Codes that came and that nobody registered: one is proposed, or said to be another (EXC-1). */
export function TriageInbox({ projectId, onPropose }: TriageInboxProps) {
  const t = useTranslations("codes");
  const ui = useTranslations("ui");
  const text = useFailureText();
  const role = useRoleIn(projectId);
  const triage = useTriage(projectId);
  const [mapped, setMapped] = useState<Cluster | null>(null);
  const onMap = role !== null && roleAllows(role, "code.review") ? setMapped : null;
  if (triage.error && !triage.rows) {
    if (failureOf(triage.error)?.code === "forbidden") return <NoPermissionState need="viewer" have={role} />;
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(triage.error)} onRetry={() => void triage.refetch()} />
      </div>
    );
  }
  if (!triage.rows) return <SkeletonRows label={ui("loading")} />;
  if (triage.rows.length === 0) return <EmptyState title={t("triage.emptyTitle")}>{t("triage.emptyBody")}</EmptyState>;
  return (
    <div className="px-4 pb-6 md:px-6">
      <p className="max-w-prose py-3 text-ink-2 text-table">
        {t("triage.explain")} <ZoneNote />
      </p>
      <ol className="flex flex-col">
        {triage.rows.map((cluster) => (
          <ClusterItem key={keyOf(cluster)} cluster={cluster} onPropose={onPropose} onMap={onMap} />
        ))}
      </ol>
      {triage.hasNextPage ? (
        <Button size="sm" className="mt-3" busy={triage.isFetchingNextPage} onClick={() => void triage.fetchNextPage()}>
          {t("more")}
        </Button>
      ) : null}
      {mapped ? <MapCode projectId={projectId} cluster={mapped} onClose={() => setMapped(null)} /> : null}
    </div>
  );
}

interface ClusterItemProps {
  cluster: Cluster;
  onPropose: ((code: string) => void) | null;
  onMap: ((cluster: Cluster) => void) | null;
}

function ClusterItem({ cluster, onPropose, onMap }: ClusterItemProps) {
  const t = useTranslations("codes");
  return (
    <li className="flex flex-col gap-2 border-line-strong border-t py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <Mono className="break-all font-semibold">{cluster.code}</Mono>
        <span className="text-table tabular-nums">{t("events", { n: cluster.count })}</span>
        <span className="text-ink-3 text-meta">
          {cluster.stackHash === "" ? t("triage.noStack") : t("triage.stack", { hash: cluster.stackHash.slice(0, 8) })}
        </span>
        <span className="ml-auto flex flex-wrap gap-2 max-sm:ml-0 max-sm:w-full">
          {onMap ? (
            <Button size="sm" onClick={() => onMap(cluster)}>
              {t("triage.map")}
            </Button>
          ) : null}
          {onPropose ? (
            <Button size="sm" look="primary" onClick={() => onPropose(cluster.code)}>
              {t("triage.propose")}
            </Button>
          ) : null}
        </span>
      </div>
      <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-ink-2 text-meta [&_dt]:text-ink-3 [&>div]:flex [&>div]:gap-1.5">
        <div>
          <dt>{t("triage.first")}</dt>
          <dd>
            <Time bare at={cluster.firstAt} />
          </dd>
        </div>
        <div>
          <dt>{t("triage.last")}</dt>
          <dd>
            <Time bare at={cluster.lastAt} />
          </dd>
        </div>
        <div>
          <dt>{t("triage.in")}</dt>
          <dd>{cluster.pipelines.map(({ title }) => title).join(", ")}</dd>
        </div>
        {cluster.suggestions.length > 0 ? (
          <div>
            <dt>{t("triage.suggested")}</dt>
            <dd className="break-all font-mono">{cluster.suggestions.join(", ")}</dd>
          </div>
        ) : null}
      </dl>
      <ul aria-label={t("triage.samples")} className="flex flex-col gap-1">
        {cluster.samples.map((sample) => (
          <li key={`${sample.runId}/${sample.nodeKey}/${sample.at.getTime()}`} className="flex min-w-0 items-baseline gap-3 text-table">
            <Link prefetch={false} href={`/runs/${sample.runId}?node=${sample.nodeKey}`} className="shrink-0 font-mono text-meta">
              {sample.nodeKey}
            </Link>
            <span className="min-w-0 truncate text-ink-2" title={sample.message}>
              {sample.message}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}
