"use client";
import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { BellOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { Mono } from "@/app/_ui/mono";
import { Segmented } from "@/app/_ui/segmented";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time, ZoneNote } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { MoreButton } from "../../_query/more-button";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { CreateSilence } from "./create-silence";
import { TabTop } from "./tab-top";
import type { SilenceItem } from "./views";

/** What is muted, by whom, why and until when. */
export function SilencesTab({ projectId, may }: { projectId: string; may: boolean }) {
  const t = useTranslations("alerts");
  const trpc = useTRPC();
  const [show, setShow] = useState<"active" | "ended">("active");
  const [creating, setCreating] = useState(false);
  const [ending, setEnding] = useState<SilenceItem | null>(null);
  const found = useInfiniteQuery({
    ...trpc.silences.list.infiniteQueryOptions(
      { projectId, show, limit: 50 },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
    placeholderData: keepPreviousData,
  });
  const columns = useColumns(show, may ? setEnding : null);
  return (
    <>
      <TabTop
        action={
          <>
            <Segmented
              label={t("tabs.silences")}
              value={show}
              onValue={setShow}
              options={[
                { value: "active", label: t("silence.active") },
                { value: "ended", label: t("silence.ended") },
              ]}
            />
            {may ? (
              <Button look="primary" onClick={() => setCreating(true)}>
                <BellOff size={13} aria-hidden="true" />
                {t("silence.create")}
              </Button>
            ) : null}
          </>
        }
      >
        {t("silence.about")}
      </TabTop>
      <QueryState query={found}>
        {({ pages }) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("tabs.silences")}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            keyOf={(row) => row.id}
            empty={
              <EmptyState compact title={t(`silence.empty.${show}`)}>
                {t("silence.empty.body")}
              </EmptyState>
            }
            footer={<MoreButton of={found} />}
          />
        )}
      </QueryState>
      {creating ? <CreateSilence projectId={projectId} onClose={() => setCreating(false)} /> : null}
      {ending ? <EndSilence silence={ending} onClose={() => setEnding(null)} /> : null}
    </>
  );
}

function useColumns(show: "active" | "ended", onEnd: ((silence: SilenceItem) => void) | null): readonly Column<SilenceItem>[] {
  const t = useTranslations("alerts.silence");
  return [
    { key: "no", head: "#", width: "3rem", cell: (row) => <span className="tabular-nums">{`#${row.no}`}</span> },
    { key: "pattern", head: t("pattern"), width: "min(16rem, 32vw)", cell: (row) => <Mono>{row.pattern}</Mono> },
    {
      key: "pipeline",
      head: t("pipeline"),
      width: "12rem",
      from: "lg",
      cell: (row) => row.pipeline?.title ?? <span className="text-ink-3">{t("every")}</span>,
    },
    { key: "reason", head: t("reason"), from: "sm", cell: (row) => <span title={row.reason}>{row.reason}</span> },
    { key: "author", head: t("author"), width: "9rem", from: "md", cell: (row) => row.author },
    {
      key: "ends",
      head: (
        <>
          {t(show === "active" ? "ends" : "endedAt")} <ZoneNote />
        </>
      ),
      width: "min(11rem, 28vw)",
      cell: (row) => <Time bare at={row.endsAt} precision="minute" />,
    },
    { key: "holds", head: t("holds"), width: "6rem", align: "end", from: "sm", cell: (row) => row.holds },
    ...(onEnd && show === "active"
      ? [
          {
            key: "end",
            head: "",
            name: t("end"),
            width: "5.5rem",
            align: "end" as const,
            cell: (row: SilenceItem) => (
              <Button size="sm" aria-label={t("endNo", { no: row.no })} onClick={() => onEnd(row)}>
                {t("end")}
              </Button>
            ),
          },
        ]
      : []),
  ];
}

function EndSilence({ silence, onClose }: { silence: SilenceItem; onClose: () => void }) {
  const t = useTranslations("alerts.silence");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const end = useMutation(
    trpc.silences.end.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("endDone", { no: silence.no }) });
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
      title={t("endNo", { no: silence.no })}
      verb={t("end")}
      busy={end.isPending}
      error={end.error ? text(end.error) : undefined}
      onConfirm={() => end.mutate({ id: silence.id })}
    >
      {t("endBody", { n: silence.holds })}
    </ConfirmDialog>
  );
}
