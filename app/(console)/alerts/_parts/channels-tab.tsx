"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { IconButton } from "@/app/_ui/icon-button";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import { GradeMark } from "../../_grades/grade-mark";
import { QueryState } from "../../_query/query-state";
import { useAddress } from "../../_query/use-address";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { ChannelDialog } from "./channel-dialog";
import { DeliveryLog, DeliveryState } from "./delivery-log";
import { TabTop } from "./tab-top";
import { TestButton } from "./test-button";
import type { Channel } from "./views";

/** Where alerts go, and whether they arrive. */
export function ChannelsTab({ projectId, may }: { projectId: string; may: boolean }) {
  const t = useTranslations("alerts.channels");
  const trpc = useTRPC();
  const { read, write } = useAddress();
  const found = useQuery(trpc.channels.list.queryOptions({ projectId }));
  const [editing, setEditing] = useState<Channel | "new" | null>(null);
  const [removing, setRemoving] = useState<Channel | null>(null);
  const columns = useColumns(may, { onChange: setEditing, onRemove: setRemoving });
  const open = found.data?.find(({ id }) => id === read("channel"));
  return (
    <>
      <TabTop
        action={
          may ? (
            <Button look="primary" onClick={() => setEditing("new")}>
              <Plus size={13} aria-hidden="true" />
              {t("add")}
            </Button>
          ) : null
        }
      >
        {t("lead")}
      </TabTop>
      <QueryState query={found}>
        {(rows) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("label")}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.id}
            openKey={open?.id ?? ""}
            onOpen={(row) => write({ channel: row.id })}
            empty={
              <EmptyState compact title={t("empty")}>
                {t("emptyBody")}
              </EmptyState>
            }
          />
        )}
      </QueryState>
      {open ? <DeliveryLog key={open.id} projectId={projectId} channel={open} may={may} onClose={() => write({ channel: null })} /> : null}
      {editing === null ? null : (
        <ChannelDialog projectId={projectId} channel={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      )}
      {removing ? <RemoveChannel channel={removing} onClose={() => setRemoving(null)} /> : null}
    </>
  );
}

interface Deeds {
  onChange: (channel: Channel) => void;
  onRemove: (channel: Channel) => void;
}

function useColumns(may: boolean, { onChange, onRemove }: Deeds): readonly Column<Channel>[] {
  const t = useTranslations("alerts.channels");
  return [
    {
      key: "name",
      head: t("name"),
      cell: (row) => (
        <span className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate font-medium">{row.name}</span>
          {row.enabled ? null : <Badge>{t("off")}</Badge>}
          {row.limitedUntil ? <Badge tone="warn">{t("limited")}</Badge> : null}
          {row.givenUp > 0 ? <Badge tone="bad">{t("givenUp", { count: row.givenUp })}</Badge> : null}
        </span>
      ),
    },
    { key: "kind", head: t("kind"), width: "9rem", from: "sm", cell: (row) => t(`kinds.${row.kind}`) },
    { key: "target", head: t("target"), width: "14rem", from: "lg", cell: (row) => <span title={row.target}>{row.target}</span> },
    { key: "grade", head: t("takes"), width: "10rem", from: "md", cell: (row) => <GradeMark grade={row.grade} /> },
    {
      key: "last",
      head: t("last"),
      width: "min(13rem, 46vw)",
      cell: (row) =>
        row.last ? (
          <span className="flex min-w-0 items-center gap-2" title={row.last.error ?? undefined}>
            <DeliveryState state={row.last.state} />
            <Time relative at={row.last.at} className="text-ink-3 text-meta" />
          </span>
        ) : (
          <span className="text-ink-3">{t("never")}</span>
        ),
    },
    ...(may
      ? [
          {
            key: "act",
            head: "",
            name: t("act"),
            width: "11rem",
            from: "sm" as const,
            align: "end" as const,
            cell: (row: Channel) => (
              <span className="inline-flex items-center gap-1">
                <TestButton channel={row} />
                <Button size="sm" aria-label={t("changeName", { name: row.name })} onClick={() => onChange(row)}>
                  {t("change")}
                </Button>
                <IconButton
                  size="sm"
                  label={t("removeName", { name: row.name })}
                  icon={<Trash2 size={13} aria-hidden="true" />}
                  onClick={() => onRemove(row)}
                />
              </span>
            ),
          },
        ]
      : []),
  ];
}

function RemoveChannel({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const t = useTranslations("alerts.channels");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const remove = useMutation(
    trpc.channels.remove.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("removed", { name: channel.name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("removeName", { name: channel.name })}
      verb={t("remove")}
      tone="destroy"
      busy={remove.isPending}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={() => remove.mutate({ id: channel.id })}
    >
      {t("removeBody")}
    </ConfirmDialog>
  );
}
