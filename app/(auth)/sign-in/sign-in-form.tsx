"use client";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { PasswordInput } from "../_parts/password-input";
import { postJson } from "../_parts/post-json";

export function SignInForm({ next }: { next: string }) {
  const t = useTranslations("auth.signIn");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    const answer = await postJson("/api/auth/sign-in/email", { email: String(form.get("email")).trim(), password: form.get("password") });
    if (answer.ok) {
      window.location.assign(next);
      return;
    }
    setBusy(false);
    if (answer.status === 0) setError(t("unreachable"));
    else if (answer.status === 429) setError(t("tooMany"));
    else if (answer.status === 400 || answer.status === 401 || answer.status === 403) setError(t("wrong"));
    else setError(t("failed", { status: answer.status }));
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <h1 className="font-semibold text-page tracking-[-0.01em]">{t("title")}</h1>
      <Field label={t("email")}>
        <Input size="lg" name="email" type="email" autoComplete="username" required />
      </Field>
      <Field label={t("password")}>
        <PasswordInput />
      </Field>
      {error ? (
        <p role="alert" className="border-state-failed border-l-2 pl-3 text-state-failed text-table">
          {error}
        </p>
      ) : null}
      <Button type="submit" look="primary" size="lg" busy={busy}>
        {t("submit")}
      </Button>
    </form>
  );
}
