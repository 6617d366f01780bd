"use client";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Link } from "@/app/_ui/link";
import { Time } from "@/app/_ui/time";
import type { Outputs } from "../../_query/outputs";

type Deferred = Outputs["reviews"]["deferred"][number];

const EVERY_MS = 5_000;
const SHOWN = 10;

/** What waits since its task fails too often, with the cause and what ends it (EXC-10). Nothing where no task does. */
export function DeferredSection({ projectId }: { projectId: string }) {
  const t = useTranslations("reviews.deferred");
  const trpc = useTRPC();
  const found = useQuery({ ...trpc.reviews.deferred.queryOptions({ projectId }), refetchInterval: EVERY_MS });
  if (!found.data || found.data.length === 0) return null;
  return (
    <section aria-label={t("title")} className="mx-4 mb-4 border-state-review border-l-2 pl-3 md:mx-6">
      <h2 className="font-semibold text-table">{t("title")}</h2>
      {found.data.map((each) => (
        <Task key={each.valve.no} deferred={each} />
      ))}
    </section>
  );
}

function Task({ deferred: { valve, bound, nodes } }: { deferred: Deferred }) {
  const t = useTranslations("reviews.deferred");
  const shown = nodes.slice(0, SHOWN);
  return (
    <div className="mt-2 text-table">
      <p className="font-medium">{t("task", { task: valve.label })}</p>
      <p className="text-ink-2">
        {t("why", { failed: bound.failed, ended: bound.failed + bound.succeeded, minutes: bound.windowMinutes, percent: bound.percent })}{" "}
        {t("how", { rate: bound.rate, successes: bound.successes })}
      </p>
      <p className="flex flex-wrap gap-x-3 text-ink-2 tabular-nums">
        <span>{t("waits", { held: valve.held })}</span>
        <Time at={valve.since} />
        <Link href={`/valves?valve=${valve.no}`}>{t("valve", { no: valve.no })}</Link>
      </p>
      <ol className="mt-1 flex flex-col">
        {shown.map(({ runId, key, since }) => (
          <li key={`${runId}/${key}`} className="flex items-baseline gap-2 border-b py-1 last:border-b-0">
            <Link prefetch={false} href={`/runs/${runId}?node=${key}`} className="min-w-0 truncate font-mono text-meta">
              {`${key} · ${runId}`}
            </Link>
            <Time bare at={since} className="ml-auto shrink-0 text-ink-3 text-meta" />
          </li>
        ))}
        {valve.held > shown.length ? <li className="py-1 text-ink-3 text-meta">{t("others", { n: valve.held - shown.length })}</li> : null}
      </ol>
    </div>
  );
}
