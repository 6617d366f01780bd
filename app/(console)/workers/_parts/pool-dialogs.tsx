"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { ConfirmDialog } from "@/app/_ui/confirm-dialog";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { notify } from "@/app/_ui/toast";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { SlotsField, slotsIn } from "./slots-field";
import type { PoolView } from "./views";

interface PoolDialogProps {
  projectId: string;
  onClose: () => void;
}

/** Makes a pool, or changes the one that is given. */
export function SavePool({ projectId, pool, onClose }: PoolDialogProps & { pool: PoolView | null }) {
  const t = useTranslations("workers.pools");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const [name, setName] = useState(pool?.name ?? "");
  const [slots, setSlots] = useState(String(pool?.slots ?? ""));
  const [description, setDescription] = useState(pool?.description ?? "");
  const number = slotsIn(slots);
  const isNew = pool === null || pool.slots === null;
  const save = useMutation(
    trpc.pools.save.mutationOptions({
      onSuccess: (saved) => {
        refresh();
        onClose();
        notify({ title: t("saved", { pool: saved.name, n: saved.slots }) });
      },
    }),
  );
  return (
    <FormDialog
      title={isNew ? t("add") : t("changeName", { pool: pool.name })}
      lead={t(isNew ? "addLead" : "changeLead")}
      verb={t(isNew ? "add" : "change")}
      busy={save.isPending}
      disabled={name.trim() === "" || number === null}
      error={save.error ? text(save.error) : null}
      onClose={onClose}
      onSubmit={() => {
        if (number === null) return;
        save.mutate({ projectId, name: name.trim(), slots: number, description: description.trim(), revision: pool?.revision ?? 0 });
      }}
    >
      {pool === null ? (
        <Field label={t("name")} hint={t("nameHint")}>
          <Input mono autoComplete="off" maxLength={64} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
      ) : null}
      <SlotsField hint={t("slotsHint")} value={slots} onValue={setSlots} />
      <Field label={t("description")} optional>
        <Input maxLength={500} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

export function DeletePool({ projectId, pool, onClose }: PoolDialogProps & { pool: PoolView }) {
  const t = useTranslations("workers.pools");
  const trpc = useTRPC();
  const text = useFailureText();
  const refresh = useRefresh();
  const remove = useMutation(
    trpc.pools.delete.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("deleted", { pool: pool.name }) });
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpen={(open) => {
        if (!open) onClose();
      }}
      title={t("deleteName", { pool: pool.name })}
      verb={t("delete")}
      tone="destroy"
      reason="required"
      busy={remove.isPending}
      error={remove.error ? text(remove.error) : undefined}
      onConfirm={(reason) => remove.mutate({ projectId, name: pool.name, reason })}
    >
      {t("deleteBody")}
    </ConfirmDialog>
  );
}
