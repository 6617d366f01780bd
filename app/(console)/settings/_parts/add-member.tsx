"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { Field } from "@/app/_ui/field";
import { FormDialog } from "@/app/_ui/form-dialog";
import { Input } from "@/app/_ui/input";
import { Select } from "@/app/_ui/select";
import { notify } from "@/app/_ui/toast";
import { MIN_PASSWORD } from "@/server/domain/access/account";
import { ROLES, type Role } from "@/server/domain/access/roles";
import { useFailureText } from "../../_query/use-failure-text";
import { useRefresh } from "../../_query/use-refresh";

/** By e-mail; who has no account yet gets one, and only then a name and a first password are asked for. */
export function AddMember({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const t = useTranslations("settings.members");
  const word = useTranslations("ui.role");
  const trpc = useTRPC();
  const refresh = useRefresh();
  const text = useFailureText();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [isNew, setIsNew] = useState(false);
  const add = useMutation(
    trpc.members.add.mutationOptions({
      onSuccess: () => {
        refresh();
        onClose();
        notify({ title: t("added", { email }) });
      },
      onError: (error) => {
        if (failureOf(error)?.issues.some(({ code }) => code === "required")) setIsNew(true);
      },
    }),
  );
  const issues = failureOf(add.error)?.issues ?? [];
  const asked = issues.some(({ code }) => code === "required");
  const at = (path: string) => issues.find((issue) => issue.path === path && issue.code !== "required")?.message;
  const submit = () =>
    add.mutate({
      projectId,
      email: email.trim(),
      role,
      ...(isNew ? { ...(name.trim() === "" ? {} : { name: name.trim() }), ...(password === "" ? {} : { initialPassword: password }) } : {}),
    });
  return (
    <FormDialog
      title={t("add")}
      verb={t("add")}
      busy={add.isPending}
      disabled={email.trim() === "" || (isNew && (name.trim() === "" || password.length < MIN_PASSWORD))}
      error={add.error && !asked && issues.length === 0 ? text(add.error) : null}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label={t("email")} error={at("email")}>
        <Input
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => {
            setEmail(event.target.value);
            setIsNew(false);
            add.reset();
          }}
        />
      </Field>
      <Field label={t("role")} hint={t(`may.${role}`)}>
        <Select<Role> value={role} onValue={setRole} options={ROLES.map((value) => ({ value, label: word(value) }))} />
      </Field>
      {isNew ? (
        <>
          <p role="status" className="text-ink-2 text-table">
            {t("newAccount", { email })}
          </p>
          <Field label={t("name")} error={at("name")}>
            <Input autoComplete="off" maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Field label={t("firstPassword")} hint={t("firstPasswordHint", { min: MIN_PASSWORD })} error={at("initialPassword")}>
            <Input
              type="password"
              autoComplete="new-password"
              maxLength={256}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </Field>
        </>
      ) : null}
    </FormDialog>
  );
}
