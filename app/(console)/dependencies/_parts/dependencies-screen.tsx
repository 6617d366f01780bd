"use client";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageHeader } from "@/app/_ui/page-header";
import { Table } from "@/app/_ui/table";
import { dependencyHref } from "../../_dependencies/address";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { useDependencyColumns } from "./dependency-columns";
import { useDependencies } from "./use-dependencies";

/** What the nodes of a project call, and how it does now and did a week ago (EXC-7). */
export function DependenciesScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("dependencies");
  const router = useRouter();
  const columns = useDependencyColumns();
  const found = useDependencies(projectId);
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
        {() => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("title")}
            columns={columns}
            rows={found.rows}
            keyOf={(row) => `${row.kind} ${row.name}`}
            onOpen={(row) => router.push(dependencyHref(row))}
            empty={<EmptyState title={t("empty.title")}>{t("empty.body")}</EmptyState>}
            footer={
              found.hasNextPage ? (
                <Button size="sm" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {t("more")}
                </Button>
              ) : (
                <span>{t("all")}</span>
              )
            }
          />
        )}
      </QueryState>
    </>
  );
}
