"use client";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { BarStrip } from "@/app/_ui/bar-strip";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Panel } from "@/app/_ui/panel";
import { Time, ZoneNote } from "@/app/_ui/time";
import { roleAllows } from "@/server/domain/access/roles";
import { BurstsOfCode } from "../../_causes/bursts-of-code";
import { useRoleIn } from "../../_frame/project";
import { IncidentsOfCode } from "../../_incidents/incidents-of-code";
import { CodeAct } from "./code-act";
import { daysUntil } from "./days-until";
import { Fixes } from "./fixes";
import type { CodeDetails } from "./views";

/** What happened under a code: the trend, where, which retry helped, the last events, and whose events are shown with it. */
export function Happened({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Trend card={card} />
      <BurstsOfCode projectId={card.projectId} code={card.code} />
      <IncidentsOfCode projectId={card.projectId} code={card.code} />
      <Fixes projectId={card.projectId} code={card.code} />
      <Panel title={t("touched")}>
        {card.touched.length === 0 ? <p className="text-ink-3 text-table">{t("noEvents")}</p> : null}
        <ul className="flex flex-col text-table">
          {card.touched.map((pipeline) => (
            <li key={pipeline.id} className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
              <Link prefetch={false} href={`/pipelines/${pipeline.id}`} className="min-w-0 truncate">
                {pipeline.title}
              </Link>
              <span className="shrink-0 text-ink-3 text-meta">
                {t("versions", { n: pipeline.versions.length, list: pipeline.versions.join(", ") })}
              </span>
              <span className="ml-auto shrink-0 tabular-nums">{pipeline.events}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title={t("retries")} note={t("retriesNote")}>
        {card.retries.length === 0 ? <p className="text-ink-3 text-table">{t("noRetries")}</p> : null}
        <ul className="flex flex-col text-table">
          {card.retries.map(({ no, tried, helped }) => (
            <li key={no} className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
              <span>{t("retryNo", { no })}</span>
              <span className="ml-auto text-ink-2 tabular-nums">{t("retryHelped", { tried, helped })}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <LastEvents card={card} />
      <Mappings card={card} />
    </div>
  );
}

const TREND_DAYS = 90;

function Trend({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  const counts = new Map(card.trend.map(({ day, events }) => [day, events]));
  const most = Math.max(0, ...counts.values());
  const total = card.trend.reduce((sum, { events }) => sum + events, 0);
  return (
    <Panel title={t("trend")} note={total === 0 ? undefined : t("trendLabel", { total, most })}>
      {total === 0 ? (
        <p className="text-ink-3 text-table">{t("trendNone")}</p>
      ) : (
        <div className="flex w-fit max-w-full flex-row-reverse overflow-x-auto">
          <BarStrip
            className="shrink-0"
            places={TREND_DAYS}
            label={t("trendLabel", { total, most })}
            bars={daysUntil(card.today, TREND_DAYS).map((day) => {
              const events = counts.get(day) ?? 0;
              return {
                key: day,
                height: most === 0 ? 0 : events / most,
                color: events === 0 ? "var(--line-strong)" : "var(--state-failed)",
                fill: events === 0 ? "hollow" : "solid",
                label: t("trendDay", { day, n: events }),
              };
            })}
          />
        </div>
      )}
    </Panel>
  );
}

function LastEvents({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  return (
    <Panel title={t("events")} note={<ZoneNote />}>
      {card.events.length === 0 ? <p className="text-ink-3 text-table">{t("noEvents")}</p> : null}
      <ul className="flex flex-col text-table">
        {card.events.map((event) => (
          <li key={`${event.runId}/${event.nodeKey}/${event.at.getTime()}/${event.attemptNo}`} className="border-b py-1.5 last:border-b-0">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <Link prefetch={false} href={`/runs/${event.runId}?node=${event.nodeKey}`}>
                {event.pipeline} <span className="font-mono text-meta">{event.nodeKey}</span>
              </Link>
              <span className="text-ink-3 text-meta">{t("attempt", { no: event.attemptNo })}</span>
              <Time bare at={event.at} className="ml-auto text-ink-3 text-meta" />
            </p>
            <p className="truncate text-ink-2 text-meta" title={event.message}>
              {event.message}
            </p>
            {event.said === null ? null : (
              <p className="text-ink-3 text-meta">
                {t("said")} <Mono className="break-all">{event.said}</Mono>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Mappings({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  const role = useRoleIn(card.projectId);
  const [undone, setUndone] = useState<CodeDetails["mappings"][number] | null>(null);
  if (card.mappings.length === 0) return null;
  return (
    <Panel title={t("mappings")}>
      <ul className="flex flex-col text-table">
        {card.mappings.map((mapping) => (
          <li key={mapping.id} className="flex items-start gap-2 border-b py-1.5 last:border-b-0">
            <span className="min-w-0 flex-1">
              <Mono className="break-all">{mapping.from.code}</Mono>
              <span className="block truncate text-ink-2 text-meta">{mapping.from.shape}</span>
              <span className="block text-ink-3 text-meta">{t("mappingBy", { who: mapping.madeBy.label, why: mapping.reason })}</span>
            </span>
            {role !== null && roleAllows(role, "code.review") ? (
              <Button size="sm" onClick={() => setUndone(mapping)}>
                {t("unmap")}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {undone ? <CodeAct act={{ kind: "unmap", id: undone.id, of: undone.from.code }} card={card} onClose={() => setUndone(null)} /> : null}
    </Panel>
  );
}
