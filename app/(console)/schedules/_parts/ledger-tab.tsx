"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { VerdictBadge } from "@/app/_status/fire-verdicts";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { useNow, useZone } from "@/app/_ui/clock";
import { Duration } from "@/app/_ui/duration";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link as TextLink } from "@/app/_ui/link";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import { FIRE_VERDICTS } from "@/server/domain/schedule/verdict";
import { dayBounds, dayOf, readDay } from "../../_query/day";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { SumLine } from "../../_schedules/sum-line";
import { useFireReason } from "../../_schedules/use-fire-reason";
import type { FireView, ScheduleView } from "../../_schedules/views";
import { LedgerBar, type LedgerSight } from "./ledger-bar";

interface LedgerTabProps {
  projectId: string;
  schedules: readonly ScheduleView[];
}

const PAGE = 100;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function useSight(today: string): [LedgerSight, (sight: LedgerSight) => void] {
  const { read, write } = useAddress();
  const id = (name: string) => (ID.test(read(name)) ? read(name) : null);
  const sight: LedgerSight = {
    day: readDay(read("day")) ?? today,
    schedule: id("schedule"),
    pipeline: id("pipeline"),
    verdict: FIRE_VERDICTS.find((each) => each === read("verdict")) ?? null,
  };
  return [sight, ({ day, ...rest }) => write({ day: day === today ? null : day, ...rest })];
}

/** Every fire that was expected on a day, with what became of it, and the line that shows that none is missing. */
export function LedgerTab({ projectId, schedules }: LedgerTabProps) {
  const t = useTranslations("schedules.ledger");
  const trpc = useTRPC();
  const router = useRouter();
  const text = useFailureText();
  const { zone } = useZone();
  const today = dayOf(useNow(60_000), zone);
  const [sight, setSight] = useSight(today);
  const columns = useColumns();
  const found = useInfiniteQuery({
    ...trpc.fires.list.infiniteQueryOptions(
      {
        projectId,
        limit: PAGE,
        ...dayBounds(sight.day, zone),
        ...(sight.schedule ? { schedule: sight.schedule } : {}),
        ...(sight.pipeline ? { pipelineId: sight.pipeline } : {}),
        ...(sight.verdict ? { verdict: sight.verdict } : {}),
      },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  const rows = found.data?.pages.flatMap(({ items }) => items);
  const sums = found.data?.pages[0]?.sums;

  return (
    <>
      <LedgerBar sight={sight} onSight={setSight} today={today} schedules={schedules} />
      {sums ? (
        <div className="px-4 pb-3 md:px-6">
          <SumLine sums={sums} />
        </div>
      ) : null}
      {found.error && !rows ? (
        <div className="px-4 py-6 md:px-6">
          <ErrorState detail={text(found.error)} onRetry={() => void found.refetch()} />
        </div>
      ) : (
        <Table
          main
          className="pb-6 md:px-3"
          label={t("title")}
          columns={columns}
          rows={rows}
          keyOf={(row) => row.id}
          onOpen={(row) => router.push(row.runId ? `/runs/${row.runId}` : `/pipelines/${row.pipeline.id}?tab=schedule`)}
          empty={
            <EmptyState
              title={t("empty.title")}
              actions={
                <Button asChild>
                  <Link href="/schedules?tab=list">{t("empty.toList")}</Link>
                </Button>
              }
            >
              {t("empty.body")}
            </EmptyState>
          }
          footer={
            <>
              {found.hasNextPage ? (
                <Button size="sm" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {t("more")}
                </Button>
              ) : null}
              <span>{found.hasNextPage ? t("shown", { n: rows?.length ?? 0 }) : t("end")}</span>
            </>
          }
        />
      )}
    </>
  );
}

function useColumns(): readonly Column<FireView>[] {
  const t = useTranslations("schedules.ledger");
  const reason = useFireReason();
  return [
    {
      key: "at",
      head: (
        <>
          {t("columns.at")} <ZoneNote />
        </>
      ),
      width: "9rem",
      cell: (row) => <Time bare at={row.fireAt} />,
    },
    {
      key: "pipeline",
      head: t("columns.pipeline"),
      cell: (row) => (
        <TextLink href={`/pipelines/${row.pipeline.id}`} className="font-medium">
          {row.pipeline.title}
        </TextLink>
      ),
    },
    {
      key: "schedule",
      head: t("columns.schedule"),
      from: "lg",
      cell: (row) => (
        <>
          <span className="font-mono text-meta">{row.schedule.name}</span>{" "}
          <span className="text-ink-3 text-meta">{row.schedule.timezone}</span>
        </>
      ),
    },
    { key: "verdict", head: t("columns.verdict"), width: "8rem", cell: (row) => <VerdictBadge verdict={row.verdict} /> },
    {
      key: "late",
      head: t("columns.late"),
      width: "6rem",
      align: "end",
      from: "sm",
      cell: (row) => (row.lateMs < 1 ? <span className="text-ink-3">{"–"}</span> : <Duration ms={row.lateMs} />),
    },
    {
      key: "reason",
      head: t("columns.reason"),
      from: "md",
      cell: (row) =>
        row.reason ? <span title={reason(row.reason)}>{reason(row.reason)}</span> : <span className="text-ink-3">{"–"}</span>,
    },
    {
      key: "run",
      head: t("columns.run"),
      width: "8rem",
      from: "sm",
      cell: (row) =>
        row.runId ? <TextLink href={`/runs/${row.runId}`}>{t("openRun")}</TextLink> : <span className="text-ink-3">{"–"}</span>,
    },
  ];
}
