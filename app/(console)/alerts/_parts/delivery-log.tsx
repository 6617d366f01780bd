"use client";
import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, Clock } from "lucide-react";
import { useTranslations } from "next-intl";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Drawer } from "@/app/_ui/drawer";
import { Link } from "@/app/_ui/link";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { LogRows } from "../../_query/log-rows";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { TestButton } from "./test-button";
import type { Channel, Delivery } from "./views";

const LOOKS = {
  sent: { icon: CircleCheck, colour: "text-state-success" },
  waiting: { icon: Clock, colour: "text-state-queued" },
  failed: { icon: CircleX, colour: "text-state-failed" },
} as const;

/** How a delivery stands: by shape, word and colour. */
export function DeliveryState({ state }: { state: Delivery["state"] }) {
  const t = useTranslations("alerts.channels.state");
  const { icon: Icon, colour } = LOOKS[state];
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap">
      <Icon size={14} aria-hidden="true" className={colour} />
      {t(state)}
    </span>
  );
}

interface DeliveryLogProps {
  projectId: string;
  channel: Channel;
  may: boolean;
  onClose: () => void;
}

/** What was sent by a channel, how often it was tried, and what went wrong. */
export function DeliveryLog({ projectId, channel, may, onClose }: DeliveryLogProps) {
  const t = useTranslations("alerts.channels");
  const trpc = useTRPC();
  const found = useInfiniteQuery({
    ...trpc.channels.deliveries.infiniteQueryOptions(
      { projectId, channelId: channel.id, limit: 50 },
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
      title={t("logOf", { name: channel.name })}
      footer={may ? <TestButton channel={channel} /> : undefined}
    >
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
  const t = useTranslations("alerts.channels");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const resend = useMutation(
    trpc.channels.resend.mutationOptions({
      onSuccess: () => notify({ title: t("resent") }),
      onError: (error) => notify({ title: text(error), tone: "bad" }),
      onSettled: refresh,
    }),
  );
  return (
    <li className="border-b py-2 last:border-b-0">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeliveryState state={delivery.state} />
        {delivery.alert ? (
          <Link href={`/alerts?tab=all&alert=${delivery.alert.id}`} className="min-w-0 truncate">
            {`#${delivery.alert.no} ${delivery.title}`}
          </Link>
        ) : (
          <span className="min-w-0 truncate">{delivery.title}</span>
        )}
        <Time at={delivery.createdAt} className="ml-auto text-ink-3 text-meta" />
        {may && delivery.state !== "waiting" ? (
          <Button size="sm" busy={resend.isPending} onClick={() => resend.mutate({ id: delivery.id })}>
            {t("resend")}
          </Button>
        ) : null}
      </p>
      <p className="flex flex-wrap gap-x-3 text-ink-3 text-meta">
        <span>{t("tries", { n: delivery.tries })}</span>
        {delivery.status === null ? null : <span className="tabular-nums">{t("status", { status: String(delivery.status) })}</span>}
        {delivery.error ? <span className="min-w-0 break-words text-ink-2">{delivery.error}</span> : null}
        {delivery.digestId ? <span>{t("inDigest")}</span> : null}
        {delivery.nextAt ? (
          <span>
            {t("next")} <Time relative at={delivery.nextAt} />
          </span>
        ) : null}
      </p>
    </li>
  );
}
