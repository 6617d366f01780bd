"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { EmptyState } from "@/app/_ui/empty-state";
import { useRoleIn } from "../../../_frame/project";
import { useTab } from "../../../_query/page-tabs";
import type { PipelineDetail } from "../../_parts/views";
import { HistoryTab } from "./history-tab";
import { OverviewTab } from "./overview-tab";
import { PipelineHeader } from "./pipeline-header";
import { RunsTab } from "./runs-tab";
import { ScheduleTab } from "./schedule-tab";
import { PIPELINE_TABS } from "./tabs";
import { VersionsTab } from "./versions-tab";

interface PipelineScreenProps {
  projectId: string;
  first: PipelineDetail;
}

/** One pipeline: what it is, how it goes, when it runs, how it came to be so. */
export function PipelineScreen({ projectId, first }: PipelineScreenProps) {
  const t = useTranslations("pipeline");
  const trpc = useTRPC();
  const role = useRoleIn(projectId);
  const tab = useTab(PIPELINE_TABS);
  const found = useQuery({ ...trpc.pipelines.get.queryOptions({ projectId, pipelineId: first.id }), initialData: first });
  if (failureOf(found.error)?.code === "not_found") {
    return (
      <EmptyState
        title={t("gone.title")}
        actions={
          <Link href="/pipelines" className="underline underline-offset-3">
            {t("trail")}
          </Link>
        }
      >
        {t("gone.body")}
      </EmptyState>
    );
  }
  const props = { projectId, pipeline: found.data, role };
  return (
    <>
      <PipelineHeader {...props} tab={tab} />
      {tab === "overview" ? <OverviewTab {...props} /> : null}
      {tab === "runs" ? <RunsTab {...props} /> : null}
      {tab === "schedule" ? <ScheduleTab {...props} /> : null}
      {tab === "versions" ? <VersionsTab {...props} /> : null}
      {tab === "history" ? <HistoryTab {...props} /> : null}
    </>
  );
}
