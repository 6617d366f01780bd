"use client";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useAddress } from "../../_query/use-address";
import { TabTop } from "./tab-top";
import { WebhookDialog } from "./webhook-dialog";
import { WebhookLog } from "./webhook-log";
import { WebhookState } from "./webhook-state";

type Webhook = Outputs["webhooks"]["list"][number];

/** Who outside is told what happens here, and whether it arrives. */
export function WebhooksTab({ projectId, may }: { projectId: string; may: boolean }) {
  const t = useTranslations("settings.webhooks");
  const trpc = useTRPC();
  const { read, write } = useAddress();
  const found = useQuery(trpc.webhooks.list.queryOptions({ projectId }));
  const [adding, setAdding] = useState(false);
  const columns = useColumns();
  const open = found.data?.find(({ id }) => id === read("webhook"));
  return (
    <>
      <TabTop
        action={
          may ? (
            <Button look="primary" onClick={() => setAdding(true)}>
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
            onOpen={(row) => write({ webhook: row.id })}
            empty={
              <EmptyState compact title={t("empty")}>
                {t("emptyBody")}
              </EmptyState>
            }
          />
        )}
      </QueryState>
      {open ? <WebhookLog key={open.id} projectId={projectId} webhook={open} may={may} onClose={() => write({ webhook: null })} /> : null}
      {adding ? <WebhookDialog projectId={projectId} webhook={null} onClose={() => setAdding(false)} /> : null}
    </>
  );
}

function useColumns(): readonly Column<Webhook>[] {
  const t = useTranslations("settings.webhooks");
  return [
    { key: "name", head: t("name"), cell: (row) => <span className="font-medium">{row.name}</span> },
    {
      key: "state",
      head: t("state"),
      width: "8rem",
      cell: (row) => <WebhookState state={row.state}>{t(`states.${row.state}`)}</WebhookState>,
    },
    { key: "target", head: t("target"), width: "14rem", from: "md", cell: (row) => <code className="font-mono">{row.target}</code> },
    {
      key: "events",
      head: t("events"),
      width: "16rem",
      from: "lg",
      cell: (row) => <code className="font-mono text-meta">{row.events.join(", ")}</code>,
    },
    { key: "waiting", head: t("waiting"), width: "6rem", from: "sm", align: "end", cell: (row) => row.waiting },
    {
      key: "last",
      head: t("last"),
      width: "9rem",
      from: "sm",
      cell: (row) =>
        row.last ? <Time relative at={row.last.at} className="text-ink-2" /> : <span className="text-ink-3">{t("never")}</span>,
    },
  ];
}
