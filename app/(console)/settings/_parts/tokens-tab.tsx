"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { EmptyState } from "@/app/_ui/empty-state";
import { Table } from "@/app/_ui/table";
import type { Column } from "@/app/_ui/table-column";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { CreateToken } from "./create-token";
import { TabTop } from "./tab-top";

type TokenRow = Outputs["tokens"]["list"][number];

/** Tokens for scripts and services: what they are is shown once, at their making. */
export function TokensTab({ projectId }: { projectId: string }) {
  const t = useTranslations("settings.tokens");
  const trpc = useTRPC();
  const tokens = useQuery(trpc.tokens.list.queryOptions({ projectId }));
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<TokenRow | null>(null);
  const columns = useColumns(setRevoking);
  return (
    <>
      <TabTop
        action={
          <Button look="primary" onClick={() => setCreating(true)}>
            <KeyRound size={13} aria-hidden="true" />
            {t("create")}
          </Button>
        }
      >
        {t("lead")}
      </TabTop>
      <QueryState query={tokens} need="admin">
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
      {creating ? <CreateToken projectId={projectId} onClose={() => setCreating(false)} /> : null}
      {revoking ? <RevokeToken projectId={projectId} token={revoking} onClose={() => setRevoking(null)} /> : null}
    </>
  );
}

function useColumns(onRevoke: (token: TokenRow) => void): readonly Column<TokenRow>[] {
  const t = useTranslations("settings.tokens");
  const word = useTranslations("ui.role");
  return [
    {
      key: "name",
      head: t("name"),
      cell: (row) => <span className={row.state === "valid" ? "font-medium" : "text-ink-3"}>{row.name}</span>,
    },
    {
      key: "state",
      head: t("state"),
      width: "7rem",
      cell: (row) => <Badge tone={row.state === "valid" ? "good" : "neutral"}>{t(`states.${row.state}`)}</Badge>,
    },
    { key: "role", head: t("role"), width: "8rem", from: "sm", cell: (row) => word(row.role) },
    {
      key: "expires",
      head: t("expires"),
      width: "10rem",
      from: "sm",
      cell: (row) => <Time relative at={row.expiresAt} className="text-ink-2" />,
    },
    {
      key: "used",
      head: t("used"),
      width: "10rem",
      from: "md",
      cell: (row) => <Time relative at={row.lastUsedAt} className="text-ink-2" />,
    },
    {
      key: "created",
      head: t("created"),
      width: "16rem",
      from: "lg",
      cell: (row) => (
        <span className="text-ink-2">
          {row.createdBy} <Time relative at={row.createdAt} className="text-ink-3 text-meta" />
        </span>
      ),
    },
    {
      key: "revoke",
      head: "",
      name: t("revoke"),
      width: "6.5rem",
      align: "end",
      cell: (row) =>
        row.state === "valid" ? (
          <Button size="sm" look="danger" aria-label={t("revokeName", { name: row.name })} onClick={() => onRevoke(row)}>
            {t("revoke")}
          </Button>
        ) : null,
    },
  ];
}

function RevokeToken({ projectId, token, onClose }: { projectId: string; token: TokenRow; onClose: () => void }) {
  const t = useTranslations("settings.tokens");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const revoke = useMutation(
    trpc.tokens.revoke.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("revoked", { name: token.name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("revokeName", { name: token.name })}
      verb={t("revoke")}
      tone="destroy"
      busy={revoke.isPending}
      error={revoke.error ? text(revoke.error) : undefined}
      onConfirm={() => revoke.mutate({ projectId, tokenId: token.id })}
    >
      {t("revokeBody")}
    </ConfirmDialog>
  );
}
