"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageHeader } from "@/app/_ui/page-header";
import { Panel } from "@/app/_ui/panel";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { GroupTable } from "./group-table";
import { PoolPanel } from "./pool-panel";
import { WorkerTile } from "./worker-tile";

/** Heartbeats are no events: they are asked for. */
const EVERY_MS = 3_000;

interface WorkersScreenProps {
  mayDrain: boolean;
  /** Whose pools are shown; null where the person is in no project yet. */
  project: { readonly id: string; readonly title: string; readonly role: Role } | null;
}

/** Who works, who waits for whom, and who takes nothing more. */
export function WorkersScreen({ mayDrain, project }: WorkersScreenProps) {
  const t = useTranslations("workers");
  const trpc = useTRPC();
  const found = useQuery({ ...trpc.workers.list.queryOptions(), refetchInterval: EVERY_MS });
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
      />
      <QueryState query={found}>
        {({ workers, groups }) =>
          workers.length === 0 && groups.length === 0 ? (
            <EmptyState title={t("empty.title")}>{t("empty.body")}</EmptyState>
          ) : (
            <div className="flex flex-col gap-6 px-4 pb-8 md:px-6">
              <Panel title={t("groups.title")} note={t("groups.note")} bodyClassName="md:-mx-3">
                <GroupTable groups={groups} mayLimit={mayDrain} />
              </Panel>
              {project ? (
                <PoolPanel
                  projectId={project.id}
                  project={project.title}
                  mayManage={roleAllows(project.role, "pool.manage")}
                  everyMs={EVERY_MS}
                />
              ) : null}
              <Panel
                title={t("tiles.title")}
                note={t("tiles.note", { live: workers.filter(({ isLive }) => isLive).length, all: workers.length })}
              >
                <ul className="grid gap-3 pt-1 sm:grid-cols-2 xl:grid-cols-3">
                  {workers.map((worker) => (
                    <WorkerTile key={worker.id} worker={worker} mayDrain={mayDrain} />
                  ))}
                </ul>
              </Panel>
            </div>
          )
        }
      </QueryState>
    </>
  );
}
