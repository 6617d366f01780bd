"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { spanText } from "@/app/_ui/instant";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";
import { Panel } from "@/app/_ui/panel";
import { Segmented } from "@/app/_ui/segmented";
import { Time } from "@/app/_ui/time";
import { useRateText } from "../../_dependencies/health-cells";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { useAddress } from "../../_query/use-address";
import { LOOK_AGAIN_MS } from "./use-dependencies";
import type { DependencyDetails } from "./views";

/** Drawn once the numbers are there; no other page loads it. */
const HealthCurves = dynamic(() => import("./health-curves").then((module) => module.HealthCurves));

const SPANS = ["1h", "24h", "7d"] as const;
type Span = (typeof SPANS)[number];
const USUAL: Span = "24h";

interface DependencyScreenProps {
  projectId: string;
  kind: DependencyDetails["kind"];
  name: string;
}

/** One host or resource: its curves, and the codes that came from it (EXC-7). */
export function DependencyScreen({ projectId, kind, name }: DependencyScreenProps) {
  const t = useTranslations("dependencies");
  const trpc = useTRPC();
  const { read, write } = useAddress();
  const span = SPANS.find((value) => value === read("span")) ?? USUAL;
  const found = useQuery({
    ...trpc.dependencies.get.queryOptions({ projectId, kind, name, span }),
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_AGAIN_MS,
  });
  return (
    <>
      <PageHeader
        trail={<Link href="/dependencies">{t("title")}</Link>}
        title={<span className="break-all font-mono">{name === "*" ? t("others") : name}</span>}
        meta={
          <>
            <span>{t(`kind.${kind}`)}</span>
            {name === "*" ? <span>{t("othersHint")}</span> : null}
            <StaleMark />
          </>
        }
        actions={
          <Segmented<Span>
            label={t("span.label")}
            value={span}
            onValue={(value) => write({ span: value === USUAL ? null : value })}
            options={SPANS.map((value) => ({ value, label: t(`span.${value}`) }))}
          />
        }
      />
      <QueryState query={found}>
        {(details) => (
          <div className="grid gap-x-10 gap-y-6 px-4 pb-8 md:px-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
            <HealthCurves details={details} />
            <Facts details={details} />
          </div>
        )}
      </QueryState>
    </>
  );
}

function Facts({ details }: { details: DependencyDetails }) {
  const t = useTranslations("dependencies");
  const rate = useRateText();
  const { whole, codes, otherCodes } = details;
  const ms = (value: number | null | undefined) => (value === null || value === undefined ? "–" : spanText(value));
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <KeyValues
        items={[
          { key: "calls", label: t("facts.calls"), value: whole?.calls ?? 0 },
          { key: "errors", label: t("facts.errors"), value: `${whole?.errors ?? 0} (${rate(whole)})` },
          { key: "p50", label: t("facts.p50"), value: ms(whole?.p50Ms) },
          { key: "p95", label: t("facts.p95"), value: ms(whole?.p95Ms) },
          { key: "p99", label: t("facts.p99"), value: ms(whole?.p99Ms) },
          { key: "first", label: t("facts.first"), value: <Time at={details.firstSeenAt} /> },
          { key: "last", label: t("facts.last"), value: <Time at={details.lastSeenAt} /> },
        ]}
      />
      <Panel title={t("codes")} note={t("codesNote")}>
        {codes.length === 0 ? <p className="text-ink-3 text-table">{t("noCodes")}</p> : null}
        <ul className="flex flex-col text-table">
          {codes.map(({ code, count }) => (
            <li key={code} className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
              <Link prefetch={false} href={`/codes/${code}`} className="min-w-0 break-all font-mono text-meta">
                {code}
              </Link>
              <span className="ml-auto shrink-0 tabular-nums">{count}</span>
            </li>
          ))}
          {otherCodes === 0 ? null : (
            <li className="flex py-1.5 text-ink-3">
              <span>{t("otherCodes")}</span>
              <span className="ml-auto tabular-nums">{otherCodes}</span>
            </li>
          )}
        </ul>
      </Panel>
    </div>
  );
}
