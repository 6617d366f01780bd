"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";
import { Select } from "@/app/_ui/select";
import { roleAllows } from "@/server/domain/access/roles";
import type { NodeAction } from "@/server/domain/run/possible";
import { useProject } from "../../_frame/project";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { DecideDialog } from "./decide-dialog";
import { DeferredSection } from "./deferred-section";
import { LimitDialog, useSpan } from "./limit-dialog";
import { ReviewDrawer } from "./review-drawer";
import { ReviewTable } from "./review-table";
import { useReviews } from "./use-reviews";
import { BULK_ACTIONS, keyOf, type ReviewRow, type ReviewSummary } from "./views";

const ALL = "*";

/** What waits for a person, the longest first: whose it is, why, since when, and what can be decided (RUN-2, EXC-5). */
export function ReviewsScreen({ projectId }: { projectId: string }) {
  const t = useTranslations("reviews");
  const { read, write } = useAddress();
  const code = read("code");
  const open = read("review");
  const reviews = useReviews(projectId, code);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [deciding, setDeciding] = useState<{ action: NodeAction; rows: readonly ReviewRow[] } | null>(null);
  const role = useProject()?.role ?? null;
  const mayDecide = role !== null && roleAllows(role, "run.intervene");
  const chosen = (reviews.rows ?? []).filter((row) => selected.has(keyOf(row)));
  const shown = reviews.rows?.find((row) => keyOf(row) === open);
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
        actions={<Limit projectId={projectId} summary={reviews.summary} mayChange={role !== null && roleAllows(role, "routing.manage")} />}
      />
      <DeferredSection projectId={projectId} />
      <div className="flex min-h-10 flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
        <CodeFilter summary={reviews.summary} code={code} onCode={(next) => write({ code: next, review: null })} />
        {chosen.length > 0 ? (
          <>
            <span className="text-ink-2 text-table tabular-nums">{t("selected", { count: chosen.length })}</span>
            {BULK_ACTIONS.map((action) => (
              <Button key={action} size="sm" onClick={() => setDeciding({ action, rows: chosen })}>
                {t(`act.${action}.verb`)}
              </Button>
            ))}
          </>
        ) : null}
      </div>
      <ReviewTable
        reviews={reviews}
        isFiltered={code !== ""}
        open={open}
        onOpen={(row) => write({ review: keyOf(row) })}
        {...(mayDecide ? { selected, onSelected: setSelected } : {})}
      />
      {shown ? (
        <ReviewDrawer
          review={shown}
          onClose={() => write({ review: null })}
          onDecide={mayDecide ? (action) => setDeciding({ action, rows: [shown] }) : undefined}
        />
      ) : null}
      {deciding ? (
        <DecideDialog
          projectId={projectId}
          {...deciding}
          onClose={(done) => {
            setDeciding(null);
            if (!done) return;
            setSelected(new Set());
            write({ review: null });
          }}
        />
      ) : null}
    </>
  );
}

function CodeFilter({
  summary,
  code,
  onCode,
}: {
  summary: ReviewSummary | undefined;
  code: string;
  onCode: (code: string | null) => void;
}) {
  const t = useTranslations("reviews");
  if (!summary || (summary.total === 0 && code === "")) return null;
  const named = summary.codes.flatMap((each) => (each.code === null ? [] : [{ code: each.code, count: each.count }]));
  const gone = code !== "" && !named.some((each) => each.code === code) ? [{ code, count: 0 }] : [];
  return (
    <>
      <Select
        label={t("filter.label")}
        className="w-72 max-w-full"
        value={code === "" ? ALL : code}
        onValue={(value) => onCode(value === ALL ? null : value)}
        options={[
          { value: ALL, label: t("filter.all", { count: summary.total }) },
          ...[...named, ...gone].map((each) => ({ value: each.code, label: t("filter.code", each) })),
        ]}
      />
      {summary.overdue > 0 ? (
        <span className="text-state-failed text-table before:mr-1.5 before:text-[9px] before:content-['▲']">
          {t("overdueCount", { count: summary.overdue })}
        </span>
      ) : null}
    </>
  );
}

function Limit({ projectId, summary, mayChange }: { projectId: string; summary: ReviewSummary | undefined; mayChange: boolean }) {
  const t = useTranslations("reviews");
  const [changing, setChanging] = useState(false);
  const span = useSpan();
  if (!summary) return null;
  const text = t("limit.is", { span: span(summary.settings.slaMinutes) });
  if (!mayChange) return <span className="text-ink-2 text-table">{text}</span>;
  return (
    <>
      <Button onClick={() => setChanging(true)}>{text}</Button>
      {changing ? <LimitDialog projectId={projectId} settings={summary.settings} onClose={() => setChanging(false)} /> : null}
    </>
  );
}
