"use client";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Duration } from "@/app/_ui/duration";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { Table } from "@/app/_ui/table";
import { MoreButton } from "../../_query/more-button";
import { PageTabs, useTab } from "../../_query/page-tabs";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { useIncidentColumns } from "./incident-columns";

const TABS = ["ongoing", "unreviewed", "all"] as const;

/** What goes on, what waits to be closed, and all that has been; with how fast people are. */
export function IncidentsScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("incidents");
  const trpc = useTRPC();
  const show = useTab(TABS);
  const { read, write } = useAddress();
  const code = read("code");
  const stats = useQuery(trpc.incidents.stats.queryOptions({ projectId })).data;
  const counts = { ongoing: stats?.ongoing, unreviewed: stats?.unreviewed, all: undefined };
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
        actions={
          <Button asChild>
            <Link href="/playbooks" className="no-underline">
              {t("playbooks")}
            </Link>
          </Button>
        }
        tabs={
          <PageTabs
            label={t("title")}
            value={show}
            tabs={TABS.map((value) => ({ value, label: t(`tabs.${value}`), count: counts[value] || undefined }))}
          />
        }
      />
      <dl className="flex flex-wrap gap-x-8 gap-y-1 px-4 py-3 text-table md:px-6">
        <Stat label={t("stats.mtta")} ms={stats?.mttaMs ?? null} />
        <Stat label={t("stats.mttr")} ms={stats?.mttrMs ?? null} />
        {stats ? <div className="text-ink-3">{t("stats.opened", { n: stats.opened })}</div> : null}
      </dl>
      {code === "" ? null : (
        <p className="flex flex-wrap items-center gap-3 px-4 pb-2 text-table md:px-6">
          <span className="min-w-0 break-all">{t("onlyCode", { code })}</span>
          <Button size="sm" onClick={() => write({ code: null })}>
            {t("everyCode")}
          </Button>
        </p>
      )}
      <IncidentTable key={`${show}/${code}`} projectId={projectId} show={show} code={code} />
    </>
  );
}

const Stat = ({ label, ms }: { label: string; ms: number | null }) => (
  <div className="flex items-baseline gap-2">
    <dt className="text-ink-3">{label}</dt>
    <dd className="font-medium">
      <Duration ms={ms} />
    </dd>
  </div>
);

function IncidentTable({ projectId, show, code }: { projectId: string; show: (typeof TABS)[number]; code: string }) {
  const t = useTranslations("incidents");
  const trpc = useTRPC();
  const router = useRouter();
  const columns = useIncidentColumns();
  const found = useInfiniteQuery({
    ...trpc.incidents.list.infiniteQueryOptions(
      { projectId, show, ...(code === "" ? {} : { code }), limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  const empty = code === "" ? show : "code";
  return (
    <QueryState query={found}>
      {({ pages }) => (
        <Table
          main
          className="pb-6 md:px-3"
          label={t(`tabs.${show}`)}
          columns={columns}
          rows={pages.flatMap(({ items }) => items)}
          keyOf={(row) => row.id}
          onOpen={(row) => router.push(`/incidents/${row.id}`)}
          empty={<EmptyState title={t(`empty.${empty}.title`)}>{t(`empty.${empty}.body`)}</EmptyState>}
          footer={<MoreButton of={found} />}
        />
      )}
    </QueryState>
  );
}
