"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageHeader } from "@/app/_ui/page-header";
import { Panel } from "@/app/_ui/panel";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { BoardTab } from "./board-tab";
import { GroupTable } from "./group-table";
import { PoolPanel } from "./pool-panel";
import type { BreakerView, GroupView, WorkerView } from "./views";
import { WorkerTile } from "./worker-tile";

/** Heartbeats are no events: they are asked for. */
const EVERY_MS = 3_000;

interface WorkersScreenProps {
  mayDrain: boolean;
  /** Whose pools are shown; null where the person is in no project yet. */
  project: { readonly id: string; readonly title: string; readonly role: Role } | null;
}

/** Who works, who waits for whom, who takes nothing more; and whether a job or a worker is to blame for what fails. */
export function WorkersScreen({ mayDrain, project }: WorkersScreenProps) {
  const t = useTranslations("workers");
  const trpc = useTRPC();
  const tab = useTab(["now", "board"]);
  const found = useQuery({ ...trpc.workers.list.queryOptions(), refetchInterval: EVERY_MS });
  const breakers = useQuery({ ...trpc.breakers.list.queryOptions(), refetchInterval: EVERY_MS });
  const isEmpty = found.data?.workers.length === 0 && found.data.groups.length === 0;
  return (
    <>
      <PageHeader
        title={t("title")}
        meta={
          <>
            <span>{t("lead")}</span>
            <StaleMark />
          </>
        }
        tabs={
          <PageTabs
            label={t("title")}
            value={tab}
            tabs={[
              { value: "now", label: t("tabs.now") },
              { value: "board", label: t("tabs.board") },
            ]}
          />
        }
      />
      <QueryState query={found}>
        {({ workers, groups }) => (
          <QueryState query={breakers}>
            {(known) => {
              if (isEmpty) return <EmptyState title={t("empty.title")}>{t("empty.body")}</EmptyState>;
              if (tab === "board") return <BoardTab mayHold={mayDrain} workers={workers} breakers={known} />;
              return <NowTab {...{ workers, groups, mayDrain, project }} breakers={known} />;
            }}
          </QueryState>
        )}
      </QueryState>
    </>
  );
}

interface NowTabProps extends WorkersScreenProps {
  workers: readonly WorkerView[];
  groups: readonly GroupView[];
  breakers: readonly BreakerView[];
}

function NowTab({ workers, groups, breakers, mayDrain, project }: NowTabProps) {
  const t = useTranslations("workers");
  return (
    <div className="flex flex-col gap-6 px-4 pb-8 md:px-6">
      <Panel title={t("groups.title")} note={t("groups.note")} bodyClassName="md:-mx-3">
        <GroupTable groups={groups} mayLimit={mayDrain} />
      </Panel>
      {project ? (
        <PoolPanel projectId={project.id} project={project.title} mayManage={roleAllows(project.role, "pool.manage")} everyMs={EVERY_MS} />
      ) : null}
      <Panel title={t("tiles.title")} note={t("tiles.note", { live: workers.filter(({ isLive }) => isLive).length, all: workers.length })}>
        <ul className="grid gap-3 pt-1 sm:grid-cols-2 xl:grid-cols-3">
          {workers.map((worker) => (
            <WorkerTile
              key={worker.id}
              worker={worker}
              breaker={breakers.find(({ workerId }) => workerId === worker.id)}
              mayDrain={mayDrain}
            />
          ))}
        </ul>
      </Panel>
    </div>
  );
}
