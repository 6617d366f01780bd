"use client";
import { FileInput, Plus } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useCallback, useEffect, useState } from "react";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { PageHeader } from "@/app/_ui/page-header";
import { Table } from "@/app/_ui/table";
import { type Role, roleAllows } from "@/server/domain/access/roles";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { WaysIn } from "../../_ways-in/ways-in";
import {
  isFiltered,
  matches,
  ownersOf,
  type PipelineFilters,
  readFilters,
  readSort,
  SORTS,
  sortAddress,
  sorted,
} from "./model/pipeline-filters";
import { usePipelineColumns } from "./pipeline-columns";
import { PipelineFilterBar } from "./pipeline-filter-bar";
import { usePipelines } from "./use-pipelines";

interface PipelinesScreenProps {
  projectId: string;
  role: Role;
  demo: boolean;
}

const TYPING_MS = 200;

/** What is typed shows at once; the address, and with it the question to the server, follows when typing rests. */
function useFilters() {
  const { read, write } = useAddress();
  const kept = readFilters(read);
  const [typed, setTyped] = useState(kept.search);
  useEffect(() => {
    if (typed === kept.search) return;
    const timer = setTimeout(() => write({ q: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  });
  const setFilters = ({ search, owner, last, standing }: PipelineFilters) => {
    setTyped(search);
    write({ owner, last, show: standing, ...(search === "" ? { q: null } : {}) });
  };
  return { filters: kept, shown: { ...kept, search: typed }, setFilters };
}

export function PipelinesScreen({ projectId, role, demo }: PipelinesScreenProps) {
  const t = useTranslations("pipelines");
  const router = useRouter();
  const text = useFailureText();
  const { filters, shown, setFilters } = useFilters();
  const all = usePipelines(projectId, filters.search, filters.standing === "archived");
  const search = useCallback((resource: string) => setFilters({ ...filters, search: resource }), [filters, setFilters]);
  const columns = usePipelineColumns(search);
  const { read, write } = useAddress();
  const sort = readSort(read("sort"));
  const rows =
    all.rows &&
    sorted(
      all.rows.filter((row) => matches(row, filters)),
      sort,
    );
  const mayEdit = roleAllows(role, "pipeline.edit");
  const nothingYet = all.rows?.length === 0 && !isFiltered(filters);

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
        actions={mayEdit ? <Actions /> : null}
      />
      {nothingYet ? (
        <WaysIn mayEdit={mayEdit} demo={demo} />
      ) : (
        <>
          <PipelineFilterBar
            filters={shown}
            onFilters={setFilters}
            owners={ownersOf(all.rows ?? [])}
            count={rows === undefined ? "" : t(all.whole ? "count" : "countSoFar", { n: rows.length })}
          />
          {all.error && !rows ? (
            <div className="px-4 py-6 md:px-6">
              <ErrorState detail={text(all.error)} onRetry={() => void all.refetch()} />
            </div>
          ) : (
            <Table
              main
              className="pb-6 md:px-3"
              label={t("title")}
              columns={columns}
              rows={rows}
              rowHeight={46}
              keyOf={(row) => row.id}
              onOpen={(row) => router.push(`/pipelines/${row.id}`)}
              sort={sort}
              onSort={(next) => {
                const first = next.key !== sort.key;
                write({ sort: sortAddress({ key: SORTS.find((key) => key === next.key) ?? "name", down: first ? false : next.down }) });
              }}
              empty={
                <EmptyState
                  title={t("none.title")}
                  actions={
                    <Button onClick={() => setFilters({ search: "", owner: null, last: null, standing: null })}>{t("filter.clear")}</Button>
                  }
                >
                  {t("none.body")}
                </EmptyState>
              }
            />
          )}
        </>
      )}
    </>
  );
}

function Actions() {
  const t = useTranslations("pipelines");
  return (
    <>
      <Button asChild>
        <Link href="/pipelines/import">
          <FileInput size={13} aria-hidden="true" />
          {t("import")}
        </Link>
      </Button>
      <Button asChild look="primary">
        <Link href="/pipelines/new">
          <Plus size={13} aria-hidden="true" />
          {t("new")}
        </Link>
      </Button>
    </>
  );
}
