"use client";
import { useTranslations } from "next-intl";
import { Badge } from "@/app/_ui/badge";
import { Duration } from "@/app/_ui/duration";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { BurstLinks } from "../../_causes/burst-links";
import { PlaybookLinks } from "../../_playbooks/playbook-links";
import type { IncidentDetails } from "./views";

/** Facts and people of an incident, what belongs to it, and where to look next. */
export function IncidentFacts({ incident }: { incident: IncidentDetails }) {
  const newest = incident.alerts.find(({ runId }) => runId !== null);
  return (
    <aside className="flex min-w-0 flex-col gap-6">
      <Facts incident={incident} />
      <BurstLinks
        projectId={incident.projectId}
        code={incident.code}
        from={incident.firstFailureAt ?? incident.openedAt}
        until={incident.resolved?.at ?? null}
      />
      <Alerts incident={incident} />
      <PlaybookLinks projectId={incident.projectId} code={incident.code} runId={newest?.runId ?? null} nodeKey={newest?.nodeKey ?? null} />
    </aside>
  );
}

function Facts({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.facts");
  const { pipeline, acknowledged, resolved, closed } = incident;
  return (
    <Panel title={t("title")}>
      <KeyValues
        items={[
          {
            key: "code",
            label: t("code"),
            value: (
              <Link prefetch={false} href={`/codes/${incident.code}`}>
                <Mono className="break-all">{incident.code}</Mono>
              </Link>
            ),
          },
          {
            key: "pipeline",
            label: t("pipeline"),
            value: pipeline ? (
              <Link prefetch={false} href={`/pipelines/${pipeline.id}`}>
                {pipeline.title}
              </Link>
            ) : (
              "–"
            ),
          },
          { key: "owner", label: t("owner"), value: incident.owner ?? "–" },
          { key: "first", label: t("firstFailure"), value: <Time at={incident.firstFailureAt} full none="–" /> },
          { key: "opened", label: t("opened"), value: <Time at={incident.openedAt} full /> },
          { key: "ack", label: t("acknowledged"), value: <ByWhom at={acknowledged?.at ?? null} by={acknowledged?.by ?? null} /> },
          { key: "mtta", label: t("toAcknowledge"), value: <Duration ms={incident.toAcknowledgeMs} /> },
          {
            key: "resolved",
            label: t("resolved"),
            value: <ByWhom at={resolved?.at ?? null} by={resolved?.by ?? null} itself={resolved?.as === "itself"} />,
          },
          { key: "mttr", label: t("toResolve"), value: <Duration ms={incident.toResolveMs} /> },
          ...(closed ? [{ key: "closed", label: t("closed"), value: <ByWhom at={closed.at} by={closed.by} /> }] : []),
        ]}
      />
    </Panel>
  );
}

function ByWhom({ at, by, itself = false }: { at: Date | null; by: string | null; itself?: boolean }) {
  const t = useTranslations("incidents.facts");
  if (at === null) return <span className="text-ink-3">{t("notYet")}</span>;
  const who = itself ? t("itself") : by ? t("by", { who: by }) : null;
  return (
    <>
      <Time at={at} full />
      {who ? <span className="block text-ink-3 text-meta">{who}</span> : null}
    </>
  );
}

function Alerts({ incident }: { incident: IncidentDetails }) {
  const t = useTranslations("incidents.facts");
  const kind = useTranslations("alerts.kind");
  return (
    <Panel title={t("alerts")} note={incident.alerts.length}>
      <ul className="flex flex-col text-table">
        {incident.alerts.map((alert) => (
          <li key={alert.id} className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
            <Link prefetch={false} href={`/alerts?tab=all&alert=${alert.id}`} className="min-w-0 truncate">
              {`#${alert.no} ${kind(alert.kind, { object: alert.label, count: alert.count })}`}
            </Link>
            <span className="shrink-0 text-ink-3 text-meta tabular-nums">{t("alertCount", { n: alert.count })}</span>
            <span className="ml-auto shrink-0">{alert.resolvedAt === null ? <Badge tone="bad">{t("alertOpen")}</Badge> : null}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
