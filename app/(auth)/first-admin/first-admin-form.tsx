"use client";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { Button } from "@/app/_ui/button";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { Link } from "@/app/_ui/link";
import { MIN_PASSWORD } from "@/server/domain/access/account";
import { PasswordInput } from "../_parts/password-input";
import { type Answer, postJson } from "../_parts/post-json";

type Problems = Partial<Record<"email" | "name" | "password" | "form", string>>;

export function FirstAdminForm({ token }: { token: string | null }) {
  const t = useTranslations("auth.firstAdmin");
  const words = useTranslations("auth.signIn");
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Problems>({});

  if (token === null) {
    return (
      <div className="flex flex-col gap-3">
        <h1 className="font-semibold text-page tracking-[-0.01em]">{t("noToken")}</h1>
        <p className="text-body text-ink-2">{t("noTokenBody")}</p>
        <Link href="/sign-in">{t("toSignIn")}</Link>
      </div>
    );
  }

  const check = (email: string, name: string, password: string): Problems => ({
    ...(/^\S+@\S+$/.test(email) ? {} : { email: t("emailInvalid") }),
    ...(name === "" ? { name: t("nameMissing") } : {}),
    ...([...password].length < MIN_PASSWORD ? { password: t("passwordShort", { min: MIN_PASSWORD }) } : {}),
  });

  const refusal = (answer: Answer): Problems => {
    if (answer.status === 0) return { form: words("unreachable") };
    if (answer.status === 429) return { form: words("tooMany") };
    const byField = issuesOf(answer);
    if (Object.keys(byField).length > 0) return byField;
    if ([401, 403, 404, 409, 410].includes(answer.status)) return { form: t("spent") };
    const detail = answer.body.detail;
    return { form: answer.status < 500 && typeof detail === "string" ? detail : t("failed", { status: answer.status }) };
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (name: string) => String(form.get(name) ?? "");
    const [email, name, password] = [read("email").trim(), read("name").trim(), read("password")];
    const wrong = check(email, name, password);
    setProblems(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    const answer = await postJson("/api/first-admin", { token, email, name, password });
    if (!answer.ok) {
      setBusy(false);
      setProblems(refusal(answer));
      return;
    }
    const signedIn = await postJson("/api/auth/sign-in/email", { email, password });
    window.location.assign(signedIn.ok ? "/" : "/sign-in");
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-5">
      <div>
        <h1 className="font-semibold text-page tracking-[-0.01em]">{t("title")}</h1>
        <p className="mt-1 text-ink-2 text-table">{t("lead")}</p>
      </div>
      <Field label={t("email")} error={problems.email}>
        <Input size="lg" name="email" type="email" autoComplete="username" />
      </Field>
      <Field label={t("name")} error={problems.name}>
        <Input size="lg" name="name" autoComplete="name" maxLength={120} />
      </Field>
      <Field label={t("password")} hint={t("passwordHint", { min: MIN_PASSWORD })} error={problems.password}>
        <PasswordInput fresh minLength={MIN_PASSWORD} />
      </Field>
      {problems.form ? (
        <p role="alert" className="border-state-failed border-l-2 pl-3 text-state-failed text-table">
          {problems.form}
        </p>
      ) : null}
      <Button type="submit" look="primary" size="lg" busy={busy}>
        {t("submit")}
      </Button>
    </form>
  );
}

/** What a problem document says about single fields. */
function issuesOf(answer: Answer): Problems {
  const issues = Array.isArray(answer.body.issues) ? answer.body.issues : [];
  const found: Problems = {};
  for (const issue of issues) {
    if (issue === null || typeof issue !== "object") continue;
    const { path, message } = issue as { path?: unknown; message?: unknown };
    if (typeof message === "string" && (path === "email" || path === "name" || path === "password")) found[path] = message;
  }
  return found;
}
