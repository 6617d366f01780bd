"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cn } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { Panel } from "@/app/_ui/panel";
import { Select } from "@/app/_ui/select";
import { Time } from "@/app/_ui/time";
import { roleAllows } from "@/server/domain/access/roles";
import type { Outputs } from "../../../_query/outputs";
import { QueryState } from "../../../_query/query-state";
import { useAddress } from "../../../_query/use-address";
import { DiffView } from "../_editor/diff-view";
import { RestoreDialog } from "./restore-dialog";
import type { PipelineProps } from "./tabs";

type Version = Outputs["pipelines"]["versions"]["items"][number];
type Side = number | "live" | "draft";

const PAGE = 50;

const sideOf = (text: string): Side | null =>
  text === "live" || text === "draft" ? text : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;

/** Every version that was ever live, what lies between any two, and the way back to one. */
export function VersionsTab(props: PipelineProps) {
  const { projectId, pipeline } = props;
  const t = useTranslations("pipeline.versions");
  const trpc = useTRPC();
  const found = useInfiniteQuery(
    trpc.pipelines.versions.infiniteQueryOptions(
      { projectId, pipelineId: pipeline.id, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : Number(nextCursor)) },
    ),
  );
  const versions = found.data?.pages.flatMap(({ items }) => items);
  return (
    <QueryState query={{ data: versions, error: found.error, refetch: () => void found.refetch() }}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState title={t("empty.title")}>{t("empty.body")}</EmptyState>
        ) : (
          <div className="grid gap-x-8 gap-y-6 px-4 py-4 md:px-6 lg:grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)]">
            <Panel title={t("title")} note={found.hasNextPage ? undefined : String(all.length)}>
              <ol>
                {all.map((version) => (
                  <Line key={version.no} version={version} {...props} />
                ))}
              </ol>
              {found.hasNextPage ? (
                <Button size="sm" className="mt-2" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {t("more")}
                </Button>
              ) : null}
            </Panel>
            <Comparison {...props} versions={all} />
          </div>
        )
      }
    </QueryState>
  );
}

function Line({ projectId, pipeline, role, version }: PipelineProps & { version: Version }) {
  const t = useTranslations("pipeline.versions");
  const { write, read } = useAddress();
  const [restoring, setRestoring] = useState(false);
  const mayEdit = role !== null && roleAllows(role, "pipeline.edit") && pipeline.managedBy === "console";
  const shown = read("to") === String(version.no);
  return (
    <li className={cn("flex flex-col gap-0.5 border-b py-2 text-table", shown && "bg-selected/50")}>
      <span className="flex items-center gap-2">
        <span className="font-medium font-mono">{`v${version.no}`}</span>
        {version.isLive ? <Badge tone="good">{t("live")}</Badge> : null}
        <span className="min-w-0 truncate text-ink-2">{version.createdBy}</span>
        <Time at={version.createdAt} className="ml-auto shrink-0 text-ink-3 text-meta" />
      </span>
      {version.message ? <span className="break-words text-ink-2">{version.message}</span> : null}
      <span className="flex gap-1 pt-1">
        {version.no > 1 ? (
          <Button size="sm" onClick={() => write({ from: String(version.no - 1), to: String(version.no) })}>
            {t("whatChanged")}
          </Button>
        ) : null}
        {mayEdit && !version.isLive ? (
          <Button size="sm" onClick={() => setRestoring(true)}>
            {t("restore")}
          </Button>
        ) : null}
      </span>
      {restoring ? <RestoreDialog projectId={projectId} pipeline={pipeline} no={version.no} onClose={() => setRestoring(false)} /> : null}
    </li>
  );
}

function Comparison({ projectId, pipeline, versions }: PipelineProps & { versions: readonly Version[] }) {
  const t = useTranslations("pipeline.versions");
  const trpc = useTRPC();
  const { read, write } = useAddress();
  const newest = versions[0]?.no ?? 1;
  const to = sideOf(read("to")) ?? (pipeline.draftDiffers ? "draft" : newest);
  const from = sideOf(read("from")) ?? (to === "draft" || newest === 1 ? "live" : newest - 1);
  const diff = useQuery(trpc.pipelines.diff.queryOptions({ projectId, pipelineId: pipeline.id, from, to }));
  if (versions.length === 1 && !pipeline.draftDiffers) {
    return (
      <Panel title={t("compare")}>
        <p className="text-ink-2 text-table">{t("onlyOne")}</p>
      </Panel>
    );
  }
  const options = [
    ...(pipeline.draftDiffers ? [{ value: "draft", label: t("draft") }] : []),
    { value: "live", label: t("liveSide", { no: pipeline.live?.no ?? 0 }) },
    ...versions.map(({ no }) => ({ value: String(no), label: `v${no}` })),
  ];
  return (
    <Panel
      title={t("compare")}
      actions={
        <>
          <Select
            size="sm"
            label={t("from")}
            className="w-auto"
            value={String(from)}
            options={options}
            onValue={(value) => write({ from: value, to: String(to) })}
          />
          <span aria-hidden="true" className="text-ink-3">
            {"→"}
          </span>
          <Select
            size="sm"
            label={t("to")}
            className="w-auto"
            value={String(to)}
            options={options}
            onValue={(value) => write({ to: value, from: String(from) })}
          />
        </>
      }
    >
      <QueryState query={diff}>{(found) => <DiffView diff={found} />}</QueryState>
    </Panel>
  );
}
