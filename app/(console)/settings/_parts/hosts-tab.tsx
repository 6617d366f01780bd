"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { IconButton } from "@/app/_ui/icon-button";
import { Input } from "@/app/_ui/input";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { TabTop } from "./tab-top";

type Host = Outputs["hosts"]["list"][number];

const EXAMPLE_HOST = "orders.internal";
const EXAMPLE_PORT = "8080";

interface HostsTabProps {
  projectId: string;
  may: boolean;
}

/** Private addresses that the project's http nodes may reach; all others are refused. */
export function HostsTab({ projectId, may }: HostsTabProps) {
  const t = useTranslations("settings.hosts");
  const trpc = useTRPC();
  const hosts = useQuery(trpc.hosts.list.queryOptions({ projectId }));
  const [allowing, setAllowing] = useState(false);
  const [removing, setRemoving] = useState<Host | null>(null);
  const columns: readonly Column<Host>[] = [
    { key: "host", head: t("host"), cell: (row) => <code className="font-medium font-mono">{`${row.host}:${row.port}`}</code> },
    { key: "reason", head: t("reason"), cell: (row) => <span title={row.reason}>{row.reason}</span> },
    {
      key: "since",
      head: t("since"),
      width: "10rem",
      from: "sm",
      cell: (row) => <Time relative at={row.createdAt} className="text-ink-2" />,
    },
    ...(may
      ? [
          {
            key: "remove",
            head: "",
            name: t("remove"),
            width: "3.5rem",
            align: "end" as const,
            cell: (row: Host) => (
              <IconButton
                size="sm"
                label={t("removeName", { host: `${row.host}:${row.port}` })}
                icon={<X size={13} aria-hidden="true" />}
                onClick={() => setRemoving(row)}
              />
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <TabTop
        action={
          may ? (
            <Button look="primary" onClick={() => setAllowing(true)}>
              <Plus size={13} aria-hidden="true" />
              {t("allow")}
            </Button>
          ) : null
        }
      >
        {t("lead")}
      </TabTop>
      <QueryState query={hosts}>
        {(rows) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("label")}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.id}
            empty={
              <EmptyState compact title={t("empty")}>
                {t("emptyBody")}
              </EmptyState>
            }
          />
        )}
      </QueryState>
      {allowing ? <AllowHost projectId={projectId} onClose={() => setAllowing(false)} /> : null}
      {removing ? <RemoveHost projectId={projectId} host={removing} onClose={() => setRemoving(null)} /> : null}
    </>
  );
}

function AllowHost({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const t = useTranslations("settings.hosts");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [host, setHost] = useState("");
  const [port, setPort] = useState("");
  const [reason, setReason] = useState("");
  const allow = useMutation(
    trpc.hosts.allow.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("done", { host: `${host.trim()}:${port}` }) });
      },
    }),
  );
  const number = Number(port);
  const portWrong = port !== "" && !(Number.isInteger(number) && number >= 1 && number <= 65_535);
  return (
    <FormDialog
      title={t("allow")}
      lead={t("allowLead")}
      verb={t("allow")}
      busy={allow.isPending}
      disabled={host.trim() === "" || port === "" || portWrong || reason.trim() === ""}
      error={allow.error ? text(allow.error) : null}
      onClose={onClose}
      onSubmit={() => allow.mutate({ projectId, host: host.trim(), port: number, reason: reason.trim() })}
    >
      <div className="grid grid-cols-[1fr_6rem] gap-3">
        <Field label={t("hostOnly")}>
          <Input
            mono
            autoComplete="off"
            maxLength={253}
            placeholder={EXAMPLE_HOST}
            value={host}
            onChange={(event) => setHost(event.target.value)}
          />
        </Field>
        <Field label={t("port")} error={portWrong ? t("portWrong") : undefined}>
          <Input
            mono
            inputMode="numeric"
            maxLength={5}
            placeholder={EXAMPLE_PORT}
            value={port}
            onChange={(event) => setPort(event.target.value)}
          />
        </Field>
      </div>
      <Field label={t("reason")} hint={t("reasonHint")}>
        <Input maxLength={500} value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

function RemoveHost({ projectId, host, onClose }: { projectId: string; host: Host; onClose: () => void }) {
  const t = useTranslations("settings.hosts");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const name = `${host.host}:${host.port}`;
  const remove = useMutation(
    trpc.hosts.remove.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("removed", { host: name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("removeName", { host: name })}
      verb={t("remove")}
      tone="destroy"
      busy={remove.isPending}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={() => remove.mutate({ projectId, id: host.id })}
    >
      {t("removeBody")}
    </ConfirmDialog>
  );
}
