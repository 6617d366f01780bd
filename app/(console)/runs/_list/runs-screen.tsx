"use client";
import { useRouter, useSearchParams } from "next/navigation";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { DisconnectedMark } from "@/app/_ui/disconnected-mark";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { PageHeader } from "@/app/_ui/page-header";
import { type Shortcut, useShortcuts } from "@/app/_ui/shortcuts";
import { Table } from "@/app/_ui/table";
import { useLiveState } from "../../_frame/live";
import { useProject } from "../../_frame/project";
import { isFiltered, type RunFilters, readFilters, writeFilters } from "./model/run-filters";
import { NewRows } from "./new-rows";
import { useRunColumns } from "./run-columns";
import { RunFilterBar } from "./run-filter-bar";
import { useRunRows } from "./use-run-rows";

export function RunsScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("runs");
  const live = useLiveState();
  const params = useSearchParams();
  const filters = readFilters(params);
  const address = writeFilters(filters);
  const setFilters = (next: RunFilters) => window.history.replaceState(null, "", `/runs${writeFilters(next)}`);
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            {live.kind === "offline" && live.sinceMs !== null ? <DisconnectedMark sinceMs={live.sinceMs} /> : null}
          </>
        }
      />
      <RunFilterBar projectId={projectId} filters={filters} onFilters={setFilters} />
      <RunList key={address} projectId={projectId} filters={filters} onFilters={setFilters} />
    </>
  );
}

interface RunListProps {
  projectId: string;
  filters: RunFilters;
  onFilters: (filters: RunFilters) => void;
}

function RunList({ projectId, filters, onFilters }: RunListProps) {
  const t = useTranslations("runs");
  const keys = useTranslations("frame.shortcuts");
  const router = useRouter();
  const project = useProject();
  const columns = useRunColumns();
  const { rows, waiting, showWaiting, more, error, retry } = useRunRows(projectId, filters);
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: ".", label: t("freshKey"), group: keys("page"), run: showWaiting }],
    [showWaiting, t, keys],
  );
  useShortcuts(shortcuts);

  if (error && !rows) {
    const failure = failureOf(error);
    if (failure?.code === "forbidden") return <NoPermissionState need="viewer" have={project?.role ?? null} />;
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={failure?.message ?? t("unreachable")} onRetry={retry} />
      </div>
    );
  }
  return (
    <>
      <NewRows count={waiting} onShow={showWaiting} />
      <Table
        main
        className="pb-6 md:px-3"
        label={t("title")}
        columns={columns}
        rows={rows}
        keyOf={(row) => row.id}
        onOpen={(row) => router.push(`/runs/${row.id}`)}
        empty={<NoRuns filters={filters} onFilters={onFilters} />}
        footer={
          <>
            {more.exists ? (
              <Button size="sm" busy={more.busy} onClick={more.load}>
                {t("more")}
              </Button>
            ) : null}
            <span>{more.exists ? t("shown", { n: rows?.length ?? 0 }) : t(isFiltered(filters) ? "endFiltered" : "end")}</span>
            {more.error ? <span className="text-state-failed">{failureOf(more.error)?.message ?? t("unreachable")}</span> : null}
          </>
        }
      />
    </>
  );
}

function NoRuns({ filters, onFilters }: Pick<RunListProps, "filters" | "onFilters">) {
  const t = useTranslations("runs");
  if (isFiltered(filters)) {
    return (
      <EmptyState
        title={t("none.title")}
        actions={<Button onClick={() => onFilters({ states: [], pipeline: null, triggers: [] })}>{t("filter.clear")}</Button>}
      >
        {t("none.body")}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t("empty.title")} actions={<Link href="/pipelines">{t("empty.pipelines")}</Link>}>
      {t("empty.body")}
    </EmptyState>
  );
}
