"use client";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { BellRing, CircleX, Hand, type LucideIcon, ScrollText, Send, Siren } from "lucide-react";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { cn } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { Time, ZoneNote } from "@/app/_ui/time";
import { useVerbText } from "../../_audit/use-verb-text";
import { MoreButton } from "../../_query/more-button";
import { QueryState } from "../../_query/query-state";
import type { IncidentDetails, TimelineLine } from "./views";

const LOOKS: Readonly<Record<TimelineLine["stream"], { icon: LucideIcon; colour: string }>> = {
  error: { icon: CircleX, colour: "text-state-failed" },
  alert: { icon: BellRing, colour: "text-state-paused" },
  delivery: { icon: Send, colour: "text-ink-3" },
  run: { icon: Hand, colour: "text-state-running" },
  incident: { icon: Siren, colour: "text-state-review" },
  audit: { icon: ScrollText, colour: "text-ink-3" },
};

/** Everything from the first failure on, oldest first, each from the stream where it is kept (INC-1). */
export function Timeline({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.timeline");
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.incidents.timeline.infiniteQueryOptions(
      { id: incident.id, limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <QueryState query={found}>
      {({ pages }) => (
        <section aria-label={t("label", { no: incident.no })}>
          <p className="pb-1 text-ink-3 text-meta">
            <ZoneNote />
          </p>
          {pages[0]?.items.length === 0 ? <p className="text-ink-3 text-table">{t("empty")}</p> : null}
          <ol className="flex flex-col text-table">
            {pages
              .flatMap(({ items }) => items)
              .map((entry) => (
                <Entry key={entry.key} entry={entry} />
              ))}
          </ol>
          <div className="flex min-h-10 items-center gap-3 py-2 text-ink-3 text-meta">
            <MoreButton of={found} />
          </div>
        </section>
      )}
    </QueryState>
  );
}

function Entry({ entry }: { entry: TimelineLine }) {
  const t = useTranslations("incidents.timeline");
  const what = useWhat();
  const { icon: Icon, colour } = LOOKS[entry.stream];
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2.5 border-b py-1.5 last:border-b-0 sm:grid-cols-[1rem_9.5rem_minmax(0,1fr)]">
      <Icon size={14} aria-label={t(`stream.${entry.stream}`)} className={cn("mt-0.5", colour)} />
      <Time bare at={entry.at} precision="second" className="text-ink-3 text-meta leading-5" />
      <div className="min-w-0 max-sm:col-start-2">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className={cn("break-all", entry.stream === "error" && "font-mono text-meta")}>{what(entry)}</span>
          {entry.actor ? <span className="text-ink-2">{entry.actor}</span> : null}
          {entry.runId ? (
            <Link
              prefetch={false}
              href={`/runs/${entry.runId}${entry.nodeKey ? `?node=${encodeURIComponent(entry.nodeKey)}` : ""}`}
              className="text-meta"
            >
              {entry.nodeKey ?? t("toRun")}
            </Link>
          ) : null}
        </p>
        {entry.text === "" ? null : <p className="break-words text-ink-2 text-meta">{entry.text}</p>}
      </div>
    </li>
  );
}

/** What happened, in words where there are any; else as its stream has it. */
function useWhat(): (entry: TimelineLine) => string {
  const t = useTranslations("incidents.timeline.what");
  const run = useTranslations("run.event");
  const verb = useVerbText();
  return ({ stream, what, nodeKey }) => {
    if (stream === "audit") return verb(what);
    if (stream === "run") return run.has(what as "ready") ? run(what as "ready", { node: nodeKey ?? "" }) : what;
    const key = `${stream}.${what}` as "alert.opened";
    return t.has(key) ? t(key) : what;
  };
}
