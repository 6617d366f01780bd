"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Drawer } from "@/app/_ui/drawer";
import { KeyValues } from "@/app/_ui/key-values";
import { Link } from "@/app/_ui/link";
import { Mono } from "@/app/_ui/mono";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { roleAllows } from "@/server/domain/access/roles";
import { BurstLinks } from "../../_causes/burst-links";
import { useRoleIn } from "../../_frame/project";
import { GradeMark } from "../../_grades/grade-mark";
import { AlertIncident } from "../../_incidents/alert-incident";
import { PlaybookLinks } from "../../_playbooks/playbook-links";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { AlertButtons } from "./alert-buttons";
import { CreateSilence } from "./create-silence";
import { SuppressorLines } from "./suppressor";
import type { AlertDetails } from "./views";

type Act = "resolve" | "silence";

/** One alert whole: what it is about, what was checked, what belongs to it and by what each was kept back. */
export function AlertDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTranslations("alerts");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const found = useQuery(trpc.alerts.get.queryOptions({ id }));
  const [act, setAct] = useState<Act | null>(null);
  const alert = found.data;
  const role = useRoleIn(alert?.projectId ?? "");
  const may = alert !== undefined && alert.resolved === null && role !== null && roleAllows(role, "alert.handle");
  const acknowledge = useMutation(
    trpc.alerts.acknowledge.mutationOptions({
      onSuccess: () => {
        refresh();
        notify({ title: t("act.acknowledged", { no: alert?.no ?? 0 }) });
      },
      onError: refresh,
    }),
  );
  const actions = may ? (
    <>
      <Button onClick={() => setAct("silence")}>{t("act.silence")}</Button>
      {alert.kind === "silence" ? null : <Button onClick={() => setAct("resolve")}>{t("act.resolve")}</Button>}
      {alert.acknowledged ? null : (
        <Button look="primary" busy={acknowledge.isPending} onClick={() => acknowledge.mutate({ id, revision: alert.revision })}>
          {t("act.acknowledge")}
        </Button>
      )}
    </>
  ) : undefined;
  return (
    <>
      <Drawer
        open
        onOpen={(open) => {
          if (!open) onClose();
        }}
        title={alert ? `#${alert.no} ${t(`kind.${alert.kind}`, { object: alert.label, count: alert.count })}` : t("title")}
        footer={actions}
      >
        {acknowledge.error ? (
          <p className="mb-4 border-state-failed border-l-2 pl-2 text-state-failed text-table">{text(acknowledge.error)}</p>
        ) : null}
        <QueryState query={found}>{(data) => <Details alert={data} may={may} />}</QueryState>
      </Drawer>
      {act === "resolve" && alert ? <ResolveAlert alert={alert} onClose={() => setAct(null)} /> : null}
      {act === "silence" && alert ? <CreateSilence projectId={alert.projectId} pattern={alert.code} onClose={() => setAct(null)} /> : null}
    </>
  );
}

function ResolveAlert({ alert, onClose }: { alert: AlertDetails; onClose: () => void }) {
  const t = useTranslations("alerts.act");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const resolve = useMutation(
    trpc.alerts.resolve.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("resolved", { no: alert.no }) });
      },
      onError: refresh,
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("resolveTitle", { no: alert.no })}
      verb={t("resolve")}
      reason="required"
      busy={resolve.isPending}
      error={resolve.error ? text(resolve.error) : undefined}
      onConfirm={(reason) => resolve.mutate({ id: alert.id, revision: alert.revision, reason })}
    >
      {t("resolveBody")}
    </ConfirmDialog>
  );
}

function Details({ alert, may }: { alert: AlertDetails; may: boolean }) {
  const t = useTranslations("alerts");
  const { suppressed, resolved, acknowledged, actionRequired } = alert;
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-2">
        <GradeMark grade={alert.grade} className="text-table" />
        <p className="break-words text-body">{alert.message}</p>
        <AlertIncident alertId={alert.id} />
        <BurstLinks projectId={alert.projectId} code={alert.code} from={alert.firstAt} until={alert.lastAt} />
        {suppressed ? (
          <p className="border-state-queued border-l-2 pl-2 text-ink-2 text-table">
            {t("detail.keptBack", { by: t(`by.${suppressed.kind}`) })}
            <SuppressorLines of={alert.heldBy} />
          </p>
        ) : null}
        {actionRequired ? (
          <p className="border-state-failed border-l-2 pl-2 font-medium text-table">
            {t("detail.todo", { action: t(`actions.${actionRequired.action as "retry"}`), target: actionRequired.target })}
          </p>
        ) : null}
      </div>
      {may ? <AlertButtons alert={alert} /> : null}
      {alert.checks.length > 0 ? <Checks checks={alert.checks} /> : null}
      <KeyValues
        items={[
          { key: "code", label: t("columns.code"), value: <Mono copy>{alert.code}</Mono> },
          ...(alert.runId === null
            ? []
            : [
                {
                  key: "run",
                  label: t("detail.run"),
                  value: <Link href={`/runs/${alert.runId}${alert.nodeKey === null ? "" : `?node=${alert.nodeKey}`}`}>{alert.label}</Link>,
                },
              ]),
          { key: "owner", label: t("columns.owner"), value: alert.owner ?? "–" },
          { key: "rule", label: t("detail.rule"), value: alert.ruleId ?? t("detail.noRule") },
          { key: "first", label: t("detail.first"), value: <Time at={alert.firstAt} full /> },
          { key: "last", label: t("detail.last"), value: <Time at={alert.lastAt} full /> },
          { key: "sent", label: t("detail.sent"), value: <Time at={alert.sentAt} full none={t("detail.notSent")} /> },
          ...(acknowledged ? [{ key: "ack", label: t("detail.acknowledged"), value: acknowledged.by }] : []),
          ...(resolved
            ? [
                { key: "resolved", label: t("detail.resolved"), value: <Time at={resolved.at} full /> },
                { key: "by", label: t("detail.by"), value: resolved.by ?? t("detail.itself") },
                ...(resolved.reason ? [{ key: "reason", label: t("detail.reason"), value: resolved.reason }] : []),
              ]
            : []),
        ]}
      />
      <PlaybookLinks projectId={alert.projectId} code={alert.code} runId={alert.runId} nodeKey={alert.nodeKey} />
      <Receipts alert={alert} />
    </div>
  );
}

function Checks({ checks }: { checks: AlertDetails["checks"] }) {
  const t = useTranslations("alerts");
  return (
    <section>
      <h3 className="mb-2 font-semibold text-table">{t("detail.checks")}</h3>
      <ol className="flex flex-col text-table">
        {checks.map(({ check, ok, evidence }) => (
          <li key={check} className="flex items-start gap-2 border-b py-1.5 last:border-b-0">
            {ok ? (
              <CircleCheck size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-state-success" />
            ) : (
              <CircleX size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-state-failed" />
            )}
            <span className="min-w-0 flex-1">
              <span className="font-medium">{t(`checks.${check}`)}</span>
              <span className="sr-only">{t(ok ? "detail.ok" : "detail.broken")}</span>
              <span className="block break-words text-ink-2 text-meta">{evidence}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Receipts({ alert }: { alert: AlertDetails }) {
  const t = useTranslations("alerts");
  const { receipts } = alert;
  if (receipts.length === 0) return null;
  return (
    <section>
      <h3 className="mb-2 font-semibold text-table">
        {t("detail.occurrences")}{" "}
        <span className="font-normal text-ink-3">{t("detail.shown", { shown: receipts.length, count: alert.count })}</span>
      </h3>
      <ol className="flex flex-col text-table">
        {receipts.map((receipt) => (
          <li key={receipt.ref} className="border-b py-1.5 last:border-b-0">
            <p className="flex flex-wrap items-baseline gap-x-2">
              {receipt.runId === null ? (
                <span className="min-w-0 truncate">{receipt.code}</span>
              ) : (
                <Link
                  prefetch={false}
                  href={`/runs/${receipt.runId}?node=${receipt.nodeKey}`}
                  className="min-w-0 truncate font-mono text-meta"
                >
                  {receipt.nodeKey}
                </Link>
              )}
              <span className="text-ink-2 text-meta">{receipt.heldBy[0] ? t(`by.${receipt.heldBy[0].kind}`) : t("detail.told")}</span>
              {receipt.recoveredAt ? <span className="text-meta text-state-success">{t("detail.recovered")}</span> : null}
              <Time at={receipt.at} className="ml-auto text-ink-3 text-meta" />
            </p>
            <SuppressorLines of={receipt.heldBy} />
          </li>
        ))}
      </ol>
    </section>
  );
}
