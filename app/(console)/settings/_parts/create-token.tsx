"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { Time } from "@/app/_ui/time";
import { ROLES, type Role } from "@/server/domain/access/roles";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";
import { ShownOnce } from "./shown-once";

const LIVES = ["7", "30", "90", "180", "366"] as const;

/** Makes a token and shows it; when the dialog closes nobody can show it again. */
export function CreateToken({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const t = useTranslations("settings.tokens");
  const word = useTranslations("ui.role");
  const may = useTranslations("settings.members.may");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const [days, setDays] = useState<(typeof LIVES)[number]>("90");
  const create = useMutation(trpc.tokens.create.mutationOptions({ onSuccess: refresh }));
  if (create.data) return <Shown name={name} token={create.data.token} expiresAt={create.data.expiresAt} onClose={onClose} />;
  return (
    <FormDialog
      title={t("create")}
      verb={t("create")}
      busy={create.isPending}
      disabled={name.trim() === ""}
      error={create.error ? text(create.error) : null}
      onClose={onClose}
      onSubmit={() => create.mutate({ projectId, name: name.trim(), role, days: Number(days) })}
    >
      <Field label={t("name")} hint={t("nameHint")}>
        <Input maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={t("role")} hint={may(role)}>
        <Select<Role> value={role} onValue={setRole} options={ROLES.map((value) => ({ value, label: word(value) }))} />
      </Field>
      <Field label={t("life")}>
        <Select<(typeof LIVES)[number]>
          value={days}
          onValue={setDays}
          options={LIVES.map((value) => ({ value, label: t("days", { n: Number(value) }) }))}
        />
      </Field>
    </FormDialog>
  );
}

function Shown({ name, token, expiresAt, onClose }: { name: string; token: string; expiresAt: Date; onClose: () => void }) {
  const t = useTranslations("settings.tokens");
  return (
    <ShownOnce title={t("made", { name })} lead={t("once")} kept={t("kept")} copy={t("copy")} secret={token} onClose={onClose}>
      <p className="mt-3 text-ink-2 text-table">
        {t("validUntil")} <Time full at={expiresAt} precision="minute" />
      </p>
    </ShownOnce>
  );
}
