"use client";
import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Drawer } from "@/app/_ui/drawer";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { LogRows } from "../../_query/log-rows";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { WebhookDialog } from "./webhook-dialog";
import { WebhookSecret } from "./webhook-secret";
import { WebhookState } from "./webhook-state";

type Webhook = Outputs["webhooks"]["list"][number];
type Delivery = Outputs["webhooks"]["deliveries"]["items"][number];

interface WebhookLogProps {
  projectId: string;
  webhook: Webhook;
  may: boolean;
  onClose: () => void;
}

/** How a webhook does, what was sent to it, and what can be done with it. */
export function WebhookLog({ projectId, webhook, may, onClose }: WebhookLogProps) {
  const t = useTranslations("settings.webhooks");
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.webhooks.deliveries.infiniteQueryOptions(
      { projectId, webhookId: webhook.id, limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <Drawer
      open
      width="lg"
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("logOf", { name: webhook.name })}
      footer={may ? <Deeds projectId={projectId} webhook={webhook} onGone={onClose} /> : undefined}
    >
      {webhook.why ? <p className="pb-3 text-state-failed text-table">{webhook.why}</p> : null}
      {webhook.previousUntil ? (
        <p className="pb-3 text-ink-2 text-table">
          {t("overlap")} <Time at={webhook.previousUntil} />
        </p>
      ) : null}
      <QueryState query={found}>
        {({ pages }) => (
          <LogRows pages={pages} of={found} empty={{ title: t("logEmpty"), body: t("logEmptyBody") }}>
            {(delivery) => <Line key={delivery.id} delivery={delivery} may={may} />}
          </LogRows>
        )}
      </QueryState>
    </Drawer>
  );
}

function Line({ delivery, may }: { delivery: Delivery; may: boolean }) {
  const t = useTranslations("settings.webhooks");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const resend = useMutation(
    trpc.webhooks.resend.mutationOptions({
      onSuccess: () => notify({ title: t("resent") }),
      onError: (error) => notify({ title: text(error), tone: "bad" }),
      onSettled: refresh,
    }),
  );
  return (
    <li className="border-b py-2 last:border-b-0">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <WebhookState state={delivery.state}>{t(`states.${delivery.state}`)}</WebhookState>
        <code className="min-w-0 truncate font-mono">{delivery.type}</code>
        <Time at={delivery.createdAt} className="ml-auto text-ink-3 text-meta" />
        {may && delivery.state !== "waiting" ? (
          <Button size="sm" busy={resend.isPending} onClick={() => resend.mutate({ id: delivery.id })}>
            {t("resend")}
          </Button>
        ) : null}
      </p>
      <p className="flex flex-wrap gap-x-3 text-ink-3 text-meta">
        <span className="break-all">{delivery.subject}</span>
        <span>{t("tries", { n: delivery.tries })}</span>
        {delivery.status === null ? null : <span className="tabular-nums">{t("answered", { status: String(delivery.status) })}</span>}
        {delivery.ms === null ? null : <span className="tabular-nums">{t("took", { ms: delivery.ms })}</span>}
        {delivery.error ? <span className="min-w-0 break-words text-ink-2">{delivery.error}</span> : null}
        {delivery.nextAt ? (
          <span>
            {t("next")} <Time relative at={delivery.nextAt} />
          </span>
        ) : null}
      </p>
      {delivery.response ? <pre className="whitespace-pre-wrap break-all font-mono text-ink-3 text-meta">{delivery.response}</pre> : null}
    </li>
  );
}

function Deeds({ projectId, webhook, onGone }: { projectId: string; webhook: Webhook; onGone: () => void }) {
  const t = useTranslations("settings.webhooks");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [asking, setAsking] = useState<"change" | "rotate" | "remove" | null>(null);
  const told = {
    onError: (error: unknown) => notify({ title: text(error), tone: "bad" as const }),
    onSettled: refresh,
  };
  const seen = { id: webhook.id, revision: webhook.revision };
  const test = useMutation(
    trpc.webhooks.test.mutationOptions({
      ...told,
      onSuccess: ({ ok, error }) => notify(ok ? { title: t("tested") } : { title: t("testFailed"), detail: error ?? "", tone: "bad" }),
    }),
  );
  const enable = useMutation(trpc.webhooks.setEnabled.mutationOptions(told));
  const rotate = useMutation(trpc.webhooks.rotate.mutationOptions({ ...told, onSuccess: () => setAsking(null) }));
  const remove = useMutation(trpc.webhooks.remove.mutationOptions({ ...told, onSuccess: onGone }));
  const isOff = webhook.state === "paused" || webhook.state === "disabled";
  return (
    <>
      <Button size="sm" busy={test.isPending} onClick={() => test.mutate({ id: webhook.id })}>
        {t("test")}
      </Button>
      <Button size="sm" busy={enable.isPending} onClick={() => enable.mutate({ ...seen, enabled: isOff })}>
        {isOff ? t("resume") : t("pause")}
      </Button>
      <Button size="sm" onClick={() => setAsking("change")}>
        {t("change")}
      </Button>
      <Button size="sm" onClick={() => setAsking("rotate")}>
        {t("rotate")}
      </Button>
      <Button size="sm" look="danger" onClick={() => setAsking("remove")}>
        {t("remove")}
      </Button>
      {asking === "change" ? <WebhookDialog projectId={projectId} webhook={webhook} onClose={() => setAsking(null)} /> : null}
      {rotate.data ? <WebhookSecret name={webhook.name} secret={rotate.data.secret} onClose={() => rotate.reset()} /> : null}
      {asking === "rotate" || asking === "remove" ? (
        <ConfirmDialog
          open
          onOpen={(open) => {
            if (!open) setAsking(null);
          }}
          title={t(`${asking}Name`, { name: webhook.name })}
          verb={t(asking)}
          tone="destroy"
          busy={rotate.isPending || remove.isPending}
          onConfirm={() => (asking === "rotate" ? rotate.mutate(seen) : remove.mutate(seen))}
        >
          {t(`${asking}Body`)}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
