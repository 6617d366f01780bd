"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { keepChoice, PROJECT_COOKIE } from "@/app/_ui/choices";
import { Field } from "@/app/_ui/field";
import { Input } from "@/app/_ui/input";
import { notify } from "@/app/_ui/toast";
import { projectKeySchema } from "@/server/domain/access/account";
import { nameFrom } from "./name-from";
import { useFailureText } from "./use-failure-text";

/** Makes a project and goes into it. */
export function CreateProject({ onMade }: { onMade?: () => void }) {
  const t = useTranslations("settings.project.create");
  const router = useRouter();
  const trpc = useTRPC();
  const text = useFailureText();
  const [title, setTitle] = useState("");
  const [ownName, setOwnName] = useState<string | null>(null);
  const name = ownName ?? nameFrom(title);
  const nameHolds = projectKeySchema.safeParse(name).success;
  const create = useMutation(
    trpc.projects.create.mutationOptions({
      onSuccess: ({ key }) => {
        keepChoice(PROJECT_COOKIE, key);
        notify({ title: t("done", { title }) });
        onMade?.();
        router.refresh();
      },
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ key: name, title: title.trim() });
  };
  return (
    <form onSubmit={submit} noValidate className="flex max-w-md flex-col gap-4">
      <Field label={t("label")} hint={t("hint")}>
        <Input maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
      </Field>
      <Field label={t("name")} hint={t("nameHint")} error={name !== "" && !nameHolds ? t("nameWrong") : undefined}>
        <Input mono maxLength={64} value={name} onChange={(event) => setOwnName(event.target.value)} />
      </Field>
      {create.error ? (
        <p role="alert" className="border-state-failed border-l-2 pl-2 text-state-failed text-table">
          {text(create.error)}
        </p>
      ) : null}
      <Button type="submit" look="primary" className="self-start" busy={create.isPending} disabled={title.trim() === "" || !nameHolds}>
        {t("verb")}
      </Button>
    </form>
  );
}
