"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import NextLink from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { useZone } from "@/app/_ui/clock";
import { EmptyState } from "@/app/_ui/empty-state";
import { spanText } from "@/app/_ui/instant";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { PageHeader } from "@/app/_ui/page-header";
import { Panel } from "@/app/_ui/panel";
import { Time } from "@/app/_ui/time";
import { AdviceOfCode } from "../../_advice/advice-of-code";
import { AuditTable } from "../../_audit/audit-table";
import { useAudit } from "../../_audit/use-audit";
import { IncidentsOfCode } from "../../_incidents/incidents-of-code";
import { PlaybookLinks } from "../../_playbooks/playbook-links";
import { QueryState } from "../../_query/query-state";
import { StaleMark } from "../../_query/stale-mark";
import { CodeActs } from "./code-acts";
import { Fixes } from "./fixes";
import { Happened } from "./happened";
import { CodeStateMark, GradeMark } from "./marks";
import { type CodeDetails, inLanguage } from "./views";

/** One code whole: what it means, whose it is, what is done about it, and what happened (INC-3). */
export function CodeCard({ projectId, code }: { projectId: string; code: string }) {
  const trpc = useTRPC();
  const { zone } = useZone();
  const found = useQuery({ ...trpc.codes.get.queryOptions({ projectId, code, timezone: zone }), placeholderData: keepPreviousData });
  if (!found.data && failureOf(found.error)?.code === "not_found") return <Unregistered projectId={projectId} code={code} />;
  return <QueryState query={found}>{(card) => <Card card={card} />}</QueryState>;
}

/** A page may lead here before anybody has registered its code: its incidents and what fixed it are there all the same (INC-3). */
function Unregistered({ projectId, code }: { projectId: string; code: string }) {
  const t = useTranslations("codes");
  return (
    <>
      <PageHeader trail={<Link href="/codes">{t("card.trail")}</Link>} title={<Mono className="break-all">{code}</Mono>} />
      <div className="grid gap-x-10 gap-y-6 px-4 pb-8 md:px-6 lg:grid-cols-2">
        <EmptyState
          compact
          title={t("card.unregistered")}
          actions={
            <Button asChild>
              <NextLink href="/codes?tab=triage">{t("tabs.triage")}</NextLink>
            </Button>
          }
        >
          {t("card.unregisteredBody")}
        </EmptyState>
        <div className="flex min-w-0 flex-col gap-6">
          <IncidentsOfCode projectId={projectId} code={code} />
          <Fixes projectId={projectId} code={code} />
        </div>
      </div>
    </>
  );
}

function Card({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes");
  const words = inLanguage(card, useLocale());
  return (
    <>
      <PageHeader
        trail={<Link href="/codes">{t("card.trail")}</Link>}
        mark={<GradeMark grade={card.grade} />}
        title={words.title}
        meta={
          <>
            <Mono copy className="break-all">
              {card.code}
            </Mono>
            <CodeStateMark state={card.state} />
            <StaleMark />
          </>
        }
        actions={<CodeActs card={card} />}
      />
      <div className="grid gap-x-10 gap-y-6 px-4 pb-8 md:px-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <p className="max-w-prose whitespace-pre-line text-body">{words.meaning}</p>
          <Facts card={card} />
          <Panel title={t("card.playbook")}>
            <p className={card.playbook === "" ? "text-ink-3 text-table" : "max-w-prose whitespace-pre-line text-body"}>
              {card.playbook === "" ? t("card.noPlaybook") : card.playbook}
            </p>
          </Panel>
          <PlaybookLinks projectId={card.projectId} code={card.code} />
          <AdviceOfCode projectId={card.projectId} code={card.code} />
          <Approvals card={card} />
        </div>
        <Happened card={card} />
      </div>
      <History card={card} />
    </>
  );
}

function Facts({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes");
  const { retry } = card;
  return (
    <KeyValues
      items={[
        { key: "owner", label: t("card.owner"), value: card.owner },
        { key: "grade", label: t("card.grade"), value: t(`grade.${card.grade}`) },
        { key: "sla", label: t("card.sla"), value: t("card.minutes", { n: card.slaMinutes }) },
        { key: "impact", label: t("card.impact"), value: <span className="whitespace-pre-line">{card.impact}</span> },
        {
          key: "policy",
          label: t("card.policy"),
          value: retry
            ? t("card.policyOwn", { base: spanText(retry.baseMs), jitter: spanText(retry.jitterMs), cap: spanText(retry.capMs) })
            : t("card.policyDefault"),
        },
        ...(card.deprecatedWhy ? [{ key: "why", label: t("card.deprecatedWhy"), value: card.deprecatedWhy }] : []),
      ]}
    />
  );
}

function Approvals({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  const isOpen = card.state === "proposed";
  return (
    <Panel
      title={t("approvalsTitle")}
      note={isOpen ? t("approvals", { given: card.approvals.length, needed: Math.max(card.needed, card.approvals.length) }) : undefined}
    >
      <ul className="flex flex-col text-table">
        <Signed what={t("proposedBy")} who={card.proposedBy.label} at={card.proposedAt} />
        {card.approvals.map((approval) => (
          <Signed key={approval.userId} what={t("approved")} who={approval.label} at={approval.at} />
        ))}
        {card.registeredAt ? <Signed what={t("registeredAt")} who="" at={card.registeredAt} /> : null}
      </ul>
      {isOpen && card.approvals.length === 0 ? <p className="py-1 text-ink-3 text-table">{t("noApproval")}</p> : null}
    </Panel>
  );
}

function Signed({ what, who, at }: { what: string; who: string; at: Date }) {
  return (
    <li className="flex items-baseline gap-2 border-b py-1.5 last:border-b-0">
      <span className="w-28 shrink-0 text-ink-3">{what}</span>
      <span className="min-w-0 truncate">{who}</span>
      <Time at={at} className="ml-auto shrink-0 text-ink-2 text-meta" />
    </li>
  );
}

function History({ card }: { card: CodeDetails }) {
  const t = useTranslations("codes.card");
  const audit = useAudit({ projectId: card.projectId, objectKind: "code", objectId: card.id });
  return (
    <section className="pb-8">
      <h2 className="px-4 pb-1 font-semibold text-table md:px-6">{t("history")}</h2>
      <AuditTable ofOne audit={audit} empty={<EmptyState compact title={t("noHistory")} />} />
    </section>
  );
}
