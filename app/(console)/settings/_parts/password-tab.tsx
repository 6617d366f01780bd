"use client";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { failureOf } from "@/app/_trpc/failure";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { MAX_PASSWORD, MIN_PASSWORD } from "@/server/domain/access/account";
import { useFailureText } from "../../_query/use-failure-text";
import { TabTop } from "./tab-top";

/** One's own password; every session ends with it, this one too. */
export function PasswordTab() {
  const t = useTranslations("settings.password");
  const trpc = useTRPC();
  const text = useFailureText();
  const [current, setCurrent] = useState("");
  const [fresh, setFresh] = useState("");
  const change = useMutation(
    trpc.session.changePassword.mutationOptions({ gcTime: 0, onSuccess: () => window.location.assign("/sign-in") }),
  );
  const wrong = failureOf(change.error)?.issues.some(({ code }) => code === "wrong_password") ?? false;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ currentPassword: current, newPassword: fresh });
  };
  return (
    <>
      <TabTop>{t("lead")}</TabTop>
      <form onSubmit={submit} noValidate className="flex max-w-sm flex-col gap-4 px-4 pb-8 md:px-6">
        <Field label={t("current")} error={wrong ? t("wrong") : undefined}>
          <Input
            type="password"
            autoComplete="current-password"
            maxLength={MAX_PASSWORD}
            value={current}
            onChange={(event) => {
              setCurrent(event.target.value);
              change.reset();
            }}
          />
        </Field>
        <Field label={t("fresh")} hint={t("freshHint", { min: MIN_PASSWORD })}>
          <Input
            type="password"
            autoComplete="new-password"
            maxLength={MAX_PASSWORD}
            value={fresh}
            onChange={(event) => setFresh(event.target.value)}
          />
        </Field>
        {change.error && !wrong ? (
          <p role="alert" className="border-state-failed border-l-2 pl-2 text-state-failed text-table">
            {text(change.error)}
          </p>
        ) : null}
        <Button
          type="submit"
          look="primary"
          className="self-start"
          busy={change.isPending || change.isSuccess}
          disabled={current === "" || fresh.length < MIN_PASSWORD}
        >
          {t("verb")}
        </Button>
      </form>
    </>
  );
}
