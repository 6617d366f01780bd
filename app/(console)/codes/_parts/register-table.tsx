"use client";
import { useRouter } from "next/navigation";
import { useLocale, useTranslations } from "next-intl";
import { useMemo } from "react";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { ErrorState } from "@/app/_ui/error-state";
import { Link } from "@/app/_ui/link";
import { NoPermissionState } from "@/app/_ui/no-permission-state";
import { SearchInput } from "@/app/_ui/search-input";
import { Select } from "@/app/_ui/select";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { GRADES } from "@/server/domain/alert/grade";
import { CODE_STATES, MOST_EVENTS } from "@/server/domain/codes/definition";
import { useProject } from "../../_frame/project";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { CodeStateMark, GradeMark } from "./marks";
import { type CodeSight, useCodes } from "./use-codes";
import { type CodeLine, inLanguage } from "./views";

const ALL = "all";

interface RegisterTableProps {
  projectId: string;
  /** Null for who may not propose. */
  onPropose: ((code: string) => void) | null;
}

export function RegisterTable({ projectId, onPropose }: RegisterTableProps) {
  const t = useTranslations("codes");
  const router = useRouter();
  const { read, write } = useAddress();
  const text = useFailureText();
  const role = useProject()?.role ?? null;
  const sight: CodeSight = {
    search: read("q"),
    state: CODE_STATES.find((state) => state === read("state")) ?? null,
    grade: GRADES.find((grade) => grade === read("grade")) ?? null,
  };
  const codes = useCodes(projectId, sight);
  const columns = useCodeColumns();
  const isFiltered = sight.search !== "" || sight.state !== null || sight.grade !== null;
  if (codes.error && !codes.rows) {
    if (failureOf(codes.error)?.code === "forbidden") return <NoPermissionState need="viewer" have={role} />;
    return (
      <div className="px-4 py-6 md:px-6">
        <ErrorState detail={text(codes.error)} onRetry={() => void codes.refetch()} />
      </div>
    );
  }
  return (
    <>
      <Filters sight={sight} onSight={write} />
      <Table
        main
        className="pb-6 md:px-3"
        label={t("title")}
        columns={columns}
        rows={codes.rows}
        keyOf={(row) => row.code}
        onOpen={(row) => router.push(`/codes/${row.code}`)}
        empty={
          isFiltered ? (
            <EmptyState title={t("empty.filtered")}>{t("empty.filteredBody")}</EmptyState>
          ) : (
            <EmptyState
              title={t("empty.title")}
              actions={onPropose ? <Button onClick={() => onPropose("")}>{t("form.propose")}</Button> : undefined}
            >
              {t("empty.body")}
            </EmptyState>
          )
        }
        footer={
          codes.hasNextPage ? (
            <Button size="sm" busy={codes.isFetchingNextPage} onClick={() => void codes.fetchNextPage()}>
              {t("more")}
            </Button>
          ) : (
            <span>{t("end")}</span>
          )
        }
      />
    </>
  );
}

interface FiltersProps {
  sight: CodeSight;
  onSight: (change: Record<string, string | null>) => void;
}

function Filters({ sight, onSight }: FiltersProps) {
  const t = useTranslations("codes");
  const word = useTranslations("codes.state");
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 py-3 md:px-6">
      <SearchInput
        main
        className="w-full sm:w-72"
        label={t("filter.search")}
        value={sight.search}
        onValue={(search) => onSight({ q: search })}
      />
      <Select
        className="w-auto"
        label={t("filter.state")}
        value={sight.state ?? ALL}
        onValue={(value) => onSight({ state: value === ALL ? null : value })}
        options={[{ value: ALL, label: t("filter.all") }, ...CODE_STATES.map((value) => ({ value, label: word(value) }))]}
      />
      <Select
        className="w-auto"
        label={t("filter.grade")}
        value={sight.grade ?? ALL}
        onValue={(value) => onSight({ grade: value === ALL ? null : value })}
        options={[{ value: ALL, label: t("filter.grades") }, ...GRADES.map((value) => ({ value, label: value }))]}
      />
    </div>
  );
}

function useCodeColumns(): readonly Column<CodeLine>[] {
  const t = useTranslations("codes");
  const locale = useLocale();
  return useMemo(
    () => [
      {
        key: "code",
        head: t("columns.code"),
        cell: (row) => (
          <span className="flex min-w-0 items-baseline gap-2.5">
            <Link prefetch={false} href={`/codes/${row.code}`} className="min-w-0 truncate font-mono text-[0.94em]">
              {row.code}
            </Link>
            <span className="min-w-0 truncate text-ink-2 max-md:hidden">{inLanguage(row, locale).title}</span>
          </span>
        ),
      },
      { key: "grade", head: t("columns.grade"), width: "5rem", cell: (row) => <GradeMark grade={row.grade} /> },
      { key: "owner", head: t("columns.owner"), width: "11rem", from: "lg", cell: (row) => row.owner },
      { key: "state", head: t("columns.state"), width: "8.5rem", from: "sm", cell: (row) => <CodeStateMark state={row.state} /> },
      {
        key: "events",
        head: t("columns.events"),
        width: "5rem",
        align: "end",
        cell: (row) => (
          <span className={row.events === 0 ? "text-ink-3" : "tabular-nums"}>
            {row.events >= MOST_EVENTS ? `${MOST_EVENTS}+` : row.events}
          </span>
        ),
      },
    ],
    [t, locale],
  );
}
