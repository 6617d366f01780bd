"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Lock, Trash2 } from "lucide-react";
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
import { Textarea } from "@/app/_ui/textarea";
import { Time } from "@/app/_ui/time";
import { notify } from "@/app/_ui/toast";
import type { Outputs } from "../../_query/outputs";
import { QueryState } from "../../_query/query-state";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { TabTop } from "./tab-top";

type Secret = Outputs["secrets"]["list"][number];

interface SecretsTabProps {
  projectId: string;
  may: boolean;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Names alone: a value is written and never read back. */
export function SecretsTab({ projectId, may }: SecretsTabProps) {
  const t = useTranslations("settings.secrets");
  const trpc = useTRPC();
  const secrets = useQuery(trpc.secrets.list.queryOptions({ projectId }));
  /** The name of the one that is set; empty for a new one. */
  const [setting, setSetting] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Secret | null>(null);
  const columns = useColumns(may, { onReplace: setSetting, onDelete: setDeleting });
  return (
    <>
      <TabTop
        action={
          may ? (
            <Button look="primary" onClick={() => setSetting("")}>
              <Lock size={13} aria-hidden="true" />
              {t("set")}
            </Button>
          ) : null
        }
      >
        {t("lead")}
      </TabTop>
      <QueryState query={secrets}>
        {(rows) => (
          <Table
            main
            className="pb-6 md:px-3"
            label={t("label")}
            columns={columns}
            rows={rows}
            keyOf={(row) => row.name}
            empty={
              <EmptyState compact title={t("empty")}>
                {t("emptyBody")}
              </EmptyState>
            }
          />
        )}
      </QueryState>
      {setting === null ? null : <SetSecret projectId={projectId} known={setting} onClose={() => setSetting(null)} />}
      {deleting ? <DeleteSecret projectId={projectId} secret={deleting} onClose={() => setDeleting(null)} /> : null}
    </>
  );
}

interface SecretDeeds {
  onReplace: (name: string) => void;
  onDelete: (secret: Secret) => void;
}

function useColumns(may: boolean, { onReplace, onDelete }: SecretDeeds): readonly Column<Secret>[] {
  const t = useTranslations("settings.secrets");
  return [
    { key: "name", head: t("name"), cell: (row) => <code className="font-medium font-mono">{row.name}</code> },
    {
      key: "use",
      head: t("use"),
      from: "sm",
      cell: (row) => <code className="font-mono text-ink-2 text-meta">{`{{ secrets.${row.name} }}`}</code>,
    },
    { key: "version", head: t("version"), width: "6rem", align: "end", cell: (row) => row.version },
    {
      key: "updated",
      head: t("updated"),
      width: "10rem",
      from: "sm",
      cell: (row) => <Time relative at={row.updatedAt} className="text-ink-2" />,
    },
    ...(may
      ? [
          {
            key: "act",
            head: "",
            name: t("act"),
            width: "10rem",
            align: "end" as const,
            cell: (row: Secret) => (
              <span className="inline-flex items-center gap-1">
                <Button size="sm" aria-label={t("replaceName", { name: row.name })} onClick={() => onReplace(row.name)}>
                  {t("replace")}
                </Button>
                <IconButton
                  size="sm"
                  label={t("deleteName", { name: row.name })}
                  icon={<Trash2 size={13} aria-hidden="true" />}
                  onClick={() => onDelete(row)}
                />
              </span>
            ),
          },
        ]
      : []),
  ];
}

function SetSecret({ projectId, known, onClose }: { projectId: string; known: string; onClose: () => void }) {
  const t = useTranslations("settings.secrets");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [name, setName] = useState(known);
  const [value, setValue] = useState("");
  const set = useMutation(
    trpc.secrets.set.mutationOptions({
      // What was written is not kept on this side either.
      gcTime: 0,
      onSuccess: ({ version }) => {
        refresh();
        onClose();
        notify({ title: t("done", { name, version }) });
      },
    }),
  );
  const nameWrong = name !== "" && !NAME.test(name);
  return (
    <FormDialog
      title={known === "" ? t("set") : t("replaceName", { name: known })}
      lead={t("setLead")}
      verb={known === "" ? t("set") : t("replace")}
      busy={set.isPending}
      disabled={name === "" || nameWrong || value === ""}
      error={set.error ? text(set.error) : null}
      onClose={onClose}
      onSubmit={() => set.mutate({ projectId, name, value })}
    >
      <Field label={t("name")} hint={t("nameHint")} error={nameWrong ? t("nameWrong") : undefined}>
        <Input
          mono
          autoComplete="off"
          maxLength={64}
          readOnly={known !== ""}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={t("value")} hint={t("valueHint")}>
        <Textarea
          mono
          rows={3}
          autoComplete="off"
          maxLength={64_000}
          value={value}
          onChange={(event) => setValue(event.target.value)}
          className="[-webkit-text-security:disc] focus:[-webkit-text-security:none]"
        />
      </Field>
    </FormDialog>
  );
}

function DeleteSecret({ projectId, secret, onClose }: { projectId: string; secret: Secret; onClose: () => void }) {
  const t = useTranslations("settings.secrets");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const remove = useMutation(
    trpc.secrets.delete.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("deleted", { name: secret.name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("deleteName", { name: secret.name })}
      verb={t("delete")}
      tone="destroy"
      busy={remove.isPending}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={() => remove.mutate({ projectId, name: secret.name })}
    >
      {t("deleteBody")}
    </ConfirmDialog>
  );
}
